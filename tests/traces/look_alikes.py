"""Look-alikes of secrets and personal data, one per line: all of them have to stay as they are."""

from __future__ import annotations

_SECTIONS = {
    "versions and ranges": (
        r"""
version 1.2.3.4
v2.10.0.15
Chrome/120.0.0.0
pkg==1.2.3.4
foo-1.2.3.4.tar.gz
2.1.0.4
1.2.3
Python 3.11.4.1
1.0.0.0
nginx 1.25.3.1
^1.2.3
~=2.31.0
>=1.0.0,<2.0.0.1
node@18.2.0
opencv-python  4.8.1.78
Windows 10.0.19041.1
types-requests 2.31.0.20240106
react@^18.2.0
1.x || >=2.5.0
AppleWebKit/537.36
Safari/605.1.15
numpy>=1.26.0,<3
section 4.2.1.3
1.3.6.1.4.1.311
build 7.0.0.23
"""
    ),
    "numbers, ids, digests": (
        r"""
deadbeefdeadbeefdeadbeefdeadbeefdeadbeef
550e8400-e29b-41d4-a716-446655440000
commit a1b2c3d
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
d41d8cd98f00b204e9800998ecf8427e
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
index 83db48f..bf269f4 100644
12345678901234567890
1234567890123456
4111111111111112
1,234,567.89
3.14159265358979
0x1f3a5b7c9d
999.999.999.999
toolu_01AbCdEfGhIjKlMnOp
msg_01AbCdEfGhIjKlMnOp
req_011CPabcdefghij
chatcmpl-9abcdefghijklmnop
call_abcdefghijklmnopqrstuvwx
task-12345678901234567890
run-20240115-101112
id 123-456-789
#1234567
ISBN 978-3-16-148410-0
5.3 GB
1048576 bytes
12.5k
port 5432
pid 123456
uid=1000(x) gid=1000
integrity sha512-Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab3+Ab==
00:1a:2b:3c:4d:5e
order 100-2000-30
01 02 03 04 05 06 07 08
session_id=550e8400-e29b-41d4-a716-446655440000
trace 4bf92f3577b34da6a3ce929d0e0e4736
"""
    ),
    "times": (
        r"""
2024-01-15
2024-01-15T10:11:12.123Z
12:30:45
1700000000
1700000000123
1760000000.123
Mon Jan 15 10:11:12 2024 +0530
[10/Oct/2000:13:55:36 -0700]
20240115101112
15.01.2024
01/15/2024 10:11
2024-W03-1
P1DT2H
10:11:12,123
00:00:01.500 --> 00:00:04.000
1700000000000000
"""
    ),
    "diffs, offsets, places in files": (
        r"""
+12345678
@@ -1203,12 +1203,14 @@
+1234 lines
-12345678
+1700000000
+1700000000123
+0000
src/a.py:120:15
x[1::2]
x[2000::3]
rows[10:20]
lines 100-2000
0000020 7946 0958
+3.5%
+100-200
offset +123456789012
+00:00
line 12345678
+20240115
"""
    ),
    "networks that are nobody's": (
        r"""
127.0.0.1
0.0.0.0
localhost:8080
127.0.0.1:5432
::1
0.0.0.0:8000
255.255.255.0
10.0.0.0/8
192.168.0.0/16
http://localhost:3000/
127.0.1.1
[::]:80
"""
    ),
    "code": (
        r"""
std::vector
a::b
fn::deep::path
dead::beef()
def password(self):
secret = load()
api_key: str
password = os.environ["X"]
password: str
password: Optional[str] = None
password=password
password = user.password
passwd = getpass.getpass()
password: string;
password = make_password_v2()
PASSWORD=$DB_PASSWORD
password: ${{ secrets.PW }}
--password <password>
--password PASSWORD
token_count=1234
token_count: 12345678901234567890
max_tokens=100000000
tokens: 12345678
next_token=parser.next_token_of_line2
token: Token = lexer.next()
pad_token='<pad>'
api_key=settings.api_key
api_key=os.getenv('OPENAI_API_KEY')
secretName: db-credentials
secret_id = 7
token_type: bearer
const password = req.body.password;
password: z.string().min(8)
PasswordField(required=True)
password_hash = hash(password)
if not password:
password: hashedPassword,
export TOKEN=$(cat token.txt)
key: value
primary_key=True
sort_key = lambda x: x[0]
cache_key='users:list'
S3_KEY=path/to/object.csv
api-key: YOUR_API_KEY
apiKey: "your-api-key-here"
password: "********"
private_key=./certs/server.key
x@y.T
self.q@self.k.transpose(-2, -1)
@decorator
@pytest.mark.slow
\n@pytest.fixture
user@host
file@2x.png
icon@dark.svg
getty@tty1.service
git@github.com:owner/repo.git
actions/checkout@v4.1.0
docker run -u 1000:1000 x
docker run -p 8080:80 x
ssh -p 2222 host
mkdir -p a/b
cp -p a b
mysql -p app
mysql -P 3306 -h db
curl -u $USER:$PASS x
grep -p x
Authorization: Bearer $TOKEN
Bearer <token>
headers={'Authorization': f'Bearer {token}'}
cookie=None
res.cookie('x')
sk-learn
task-runner
sk-toggleable__content-toggleable-label
hf_transfer
npm_config_cache
r8_model
pypi-server
gsk_helper
whsec_
https://x.example.com/?page=2&sort=name&key=title
https://x.example.com/search?q=aging+agents&lang=en
https://x.example.com/item?id=550e8400-e29b-41d4-a716-446655440000
https://x.example.com/a%20b/c%2Fd?next=%2Fhome%2Fpage
ssh://git@git.example.com/x.git
https://x.example.com/home/page
/usr/home
/Users/Shared/x
https://example.com:8080/@scope/pkg
background-home-icon
--home-title-color
/home
<Password label='Password' />
os.environ['HOME']
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ
-----BEGIN CERTIFICATE-----
if "-----BEGIN PRIVATE KEY-----" in text:
-----BEGIN PUBLIC KEY-----
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ
Users guide
PWD=/srv/app
-rw-r--r-- 1 root root 12 Jan 1 x
"""
    ),
    "prose": (
        r"""
the password field is required
the password is "required" here
the password was 'wrong' again
data: eyJub3RlIjogImp1c3QgYSBsaXN0IG9mIGl0ZW1zIn0=
openssl req -k x.pem
the password for the account is required
The password for this user is stored in the vault
the password for staging is wrong.
password for root was changed
Password: must not be empty
"password": "The password must have 8 characters"
password: "must contain a digit and a symbol"
"password": "Please choose another one"
password: see the vault of the team
the passphrase is too short to be used
passphrase: enter the one from the letter
the PIN for the connector is documented below
first_pass: true
low_pass = 440
second_pass=done
Password: must be at least 8 characters
the password is too short
enter your password
a secret: never tell
The API key is missing
token: the next one
bearer authentication
Authorization: required
invalid password or username
password reset link
forgot password?
"password": "Password is required"
use --password to set it
the token limit is 200000
Cookie: a small file
000-12-3456
phone number
credit card
call me at noon
PASS: test_x
1234 passed, 2 failed
the secret of v2 is speed
password sha256
key-value store
AC power
key takeaways: 3
"""
    ),
}

LOOK_ALIKES = [line for text in _SECTIONS.values() for line in text.splitlines() if line]
