"""Planted secrets and their look-alikes.

Secrets are put together when this file is imported, from a prefix in two pieces and seeded noise,
so that none stands here as a literal and no scanner of secrets is alarmed by the repository.
"""

from __future__ import annotations

import base64
import json
import random
import string
from dataclasses import dataclass

HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
URL = ALNUM + "-_"
B64 = ALNUM + "+/"
UPPER = string.ascii_uppercase + string.digits
LOWER = string.ascii_lowercase + string.digits


@dataclass(frozen=True)
class Planted:
    """A secret of one kind in one context: `secret` must not be in what is left of `text`."""

    kind: str
    text: str
    secret: str


def noise(seed: str, n: int, alphabet: str = ALNUM) -> str:
    """The same random signs for the same seed: a letter first, then a digit, so that short ones are
    mixed too.
    """
    rng = random.Random(f"noise:{seed}:{n}")
    made = "".join(rng.choice(alphabet) for _ in range(n))
    letters = [sign for sign in alphabet if sign.isalpha()]
    return f"{rng.choice(letters)}{rng.choice('0123456789')}{made[2:]}" if letters else made


# kind: the prefix with a + somewhere in it, alphabet, length, what follows
_FORMS: dict[str, tuple[str, str, int, str]] = {
    "openai": ("s+k-", ALNUM, 48, ""),
    "openai project": ("s+k-proj-", URL, 100, ""),
    "openai service account": ("s+k-svcacct-", URL, 60, ""),
    "anthropic": ("s+k-ant-api03-", URL, 93, "AA"),
    "anthropic oauth": ("s+k-ant-oat01-", URL, 80, ""),
    "openrouter": ("s+k-or-v1-", HEX, 64, ""),
    "deepseek": ("s+k-", HEX, 32, ""),
    "langfuse secret": ("s+k-lf-", HEX, 32, ""),
    "elevenlabs": ("s+k_", HEX, 48, ""),
    "google api": ("AI+za", URL, 35, ""),
    "google oauth": ("ya+29.", URL, 60, ""),
    "google refresh": ("1/+/0", URL, 60, ""),
    "google client": ("GOC+SPX-", URL, 28, ""),
    "groq": ("gs+k_", ALNUM, 52, ""),
    "xai": ("xa+i-", ALNUM, 80, ""),
    "perplexity": ("pp+lx-", ALNUM, 48, ""),
    "replicate": ("r+8_", ALNUM, 37, ""),
    "hugging face": ("h+f_", ALNUM, 34, ""),
    "nvidia": ("nv+api-", URL, 64, ""),
    "tavily": ("tv+ly-", ALNUM, 32, ""),
    "langsmith": ("ls+v2_pt_", HEX, 32, "_" + "0a1b2c3d4e"),
    "pinecone": ("pc+sk_", ALNUM, 60, ""),
    "e2b": ("e+2b_", HEX, 40, ""),
    "firecrawl": ("f+c-", HEX, 32, ""),
    "fireworks": ("f+w_", ALNUM, 24, ""),
    "aws access key": ("AK+IA", UPPER, 16, ""),
    "aws session key": ("AS+IA", UPPER, 16, ""),
    "digitalocean": ("dop+_v1_", HEX, 64, ""),
    "supabase": ("sb+p_", HEX, 40, ""),
    "supabase secret": ("sb+_secret_", URL, 31, ""),
    "planetscale": ("psc+ale_pw_", URL, 43, ""),
    "doppler": ("dp+.pt.", ALNUM, 43, ""),
    "doppler service": ("dp+.st.prd.", ALNUM, 43, ""),
    "vault": ("hv+s.", URL, 90, ""),
    "databricks": ("da+pi", HEX, 32, ""),
    "pulumi": ("pu+l-", HEX, 40, ""),
    "age": ("AGE-SEC+RET-KEY-1", UPPER, 58, ""),
    "tailscale": ("ts+key-auth-", ALNUM, 17, "-" + "Zz9Yy8Xx7Ww6"),
    "netlify": ("nf+p_", ALNUM, 36, ""),
    "heroku": ("HR+KU-", URL, 60, ""),
    "github classic": ("gh+p_", ALNUM, 36, ""),
    "github oauth": ("gh+o_", ALNUM, 36, ""),
    "github app": ("gh+s_", ALNUM, 36, ""),
    "github fine": ("github+_pat_", ALNUM + "_", 82, ""),
    "gitlab": ("gl+pat-", URL, 20, ""),
    "gitlab runner": ("gl+rt-", URL, 20, ""),
    "bitbucket": ("AT+BB", ALNUM, 32, ""),
    "atlassian": ("ATA+TT3", URL, 180, ""),
    "npm": ("np+m_", ALNUM, 36, ""),
    "pypi": ("py+pi-AgEI", URL, 150, ""),
    "rubygems": ("ruby+gems_", HEX, 48, ""),
    "docker hub": ("dckr+_pat_", URL, 27, ""),
    "grafana": ("gl+sa_", ALNUM, 32, "_0a1b2c3d"),
    "new relic": ("NR+AK-", UPPER, 27, ""),
    "sentry": ("snt+rys_", ALNUM, 64, ""),
    "figma": ("fi+gd_", URL, 40, ""),
    "linear": ("li+n_api_", ALNUM, 40, ""),
    "notion": ("nt+n_", ALNUM, 46, ""),
    "notion old": ("sec+ret_", ALNUM, 43, ""),
    "airtable": ("pa+tA1b2C3d4E5f6G7.", HEX, 64, ""),
    "postman": ("PM+AK-" + "0a1b2c3d4e5f0a1b2c3d4e5f-", HEX, 34, ""),
    "slack bot": ("xo+xb-1234567890-", ALNUM, 24, ""),
    "slack user": ("xo+xp-1234567890-", ALNUM, 32, ""),
    "slack app": ("xa+pp-1-A0B1C2-", ALNUM, 40, ""),
    "telegram": ("12345+67890:AA", URL, 33, ""),
    "twilio account": ("A+C", HEX, 32, ""),
    "twilio key": ("S+K", HEX, 32, ""),
    "mailgun": ("ke+y-", HEX, 32, ""),
    "brevo": ("xkey+sib-", HEX, 64, "-a1B2c3D4e5F6g7H8"),
    "stripe live": ("sk+_live_", ALNUM, 24, ""),
    "stripe test": ("sk+_test_", ALNUM, 24, ""),
    "stripe restricted": ("rk+_live_", ALNUM, 24, ""),
    "stripe webhook": ("wh+sec_", ALNUM, 32, ""),
    "shopify": ("shp+at_", HEX, 32, ""),
    "square": ("sq+0atp-", URL, 22, ""),
    "razorpay": ("rz+p_live_", ALNUM, 14, ""),
    "azure client secret": ("q1+w8Q~", ALNUM + "-_.", 34, ""),
    "openshift": ("sha+256~", URL, 43, ""),
    "sonar": ("sq+u_", HEX, 40, ""),
}


def keys() -> dict[str, str]:
    """One key of every vendor, by kind."""
    made = {
        kind: p.replace("+", "") + noise(kind, n, alphabet) + end
        for kind, (p, alphabet, n, end) in _FORMS.items()
    }
    made["sendgrid"] = f"S{'G'}.{noise('sg1', 22, URL)}.{noise('sg2', 43, URL)}"
    made["discord bot"] = f"M{noise('d1', 23)}.{noise('d2', 6, URL)}.{noise('d3', 38, URL)}"
    made["terraform cloud"] = f"{noise('tf1', 14)}.atlas{'v1'}.{noise('tf2', 67, URL)}"
    made["mailchimp"] = f"{noise('mc', 32, HEX)}-us{12}"
    made["jwt"] = ".".join(
        [_part({"alg": "HS256"}), _part({"sub": "1234567890"}), noise("jwt", 43, URL)]
    )
    made["jwt cut off"] = _part({"alg": "RS256", "kid": "k1"})
    made["fcm"] = f"AAAA{noise('f1', 7, URL)}:APA9{'1b'}{noise('f2', 134, URL)}"
    made["bcrypt"] = f"$2{'b'}$12${noise('bc', 53, ALNUM)}"
    made["sha512crypt"] = f"${6}${noise('s1', 8)}${noise('s2', 86)}"
    return made


def _part(value: dict[str, str]) -> str:
    return (
        base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode())
        .decode()
        .rstrip("=")
    )


def _block(kind: str, ending: bool = True, line_break: str = "\n") -> tuple[str, str]:
    lines = [noise(f"{kind}{n}", 64, B64) for n in range(4)]
    marks = [f"-----{word} {kind}-----" for word in ("BEGIN", "END")]
    parts = [marks[0], *lines, noise(kind, 20, B64) + "==", *(marks[1:] if ending else [])]
    return line_break.join(parts), lines[1]


def luhn(start: str) -> str:
    """A number with its check digit."""
    digits = [int(sign) for sign in start]
    doubled = [2 * d - 9 if d > 4 else 2 * d for d in digits[-1::-2]]
    return start + str(-(sum(doubled) + sum(digits[-2::-2])) % 10)


def iban(country: str, account: str) -> str:
    """An account number with its check digits."""
    number = "".join(str(int(sign, 36)) for sign in f"{account}{country}00")
    return f"{country}{98 - int(number) % 97:02}{account}"


WORD = "correct" + "horse"
MIXED = "hunter" + "2x7"
SECRET40 = noise("aws", 40, B64)
HEX32 = noise("hex", 32, HEX)
_B64_LOGIN = base64.b64encode(b"deploy:" + MIXED.encode()).decode()

# {w} a word, {m} a short mixed password, {k} forty signs, {h} 32 hex digits, {b} a login in base64
_CONTEXTS: dict[str, tuple[str, str]] = {
    "quoted blanks": ('password = "my {w} has 3 legs"', "{w}"),
    "quoted blanks single": ("DB_PASSWORD='the {w} of a whale'", "{w}"),
    "quoted blanks json": ('{{"password": "{w} in the old barn"}}', "{w}"),
    "kubeconfig": ("    client-key-data: {k}{k}", "{k}"),
    "become pass": ("ansible_become_pass: {w}\nport: 22", "{w}"),
    "become pass ini": ("host1 ansible_user=bob become_pass={m}", "{m}"),
    "wifi": ('network={{\n  ssid="home"\n  psk="{w}"\n}}', "{w}"),
    "wifi bare": ("psk={h}", "{h}"),
    "wifi nmcli": ("wifi-security.psk={m}", "{m}"),
    "told for": ("the password for the staging box is {m}", "{m}"),
    "told for a word": ("The password for the guest wifi is {w}.", "{w}"),
    "told for quoted": ("password for bob@db is '{w}' as before", "{w}"),
    "told of": ("Password of the router: {m}", "{m}"),
    "told in german": ("Das Passwort für den Server ist {m}", "{m}"),
    "phrase of words": ("passphrase: {w} battery staple onyx", "{w}"),
    "phrase told": ("my passphrase is {w} battery staple onyx.", "{w}"),
    "phrase told for": ("the passphrase for the backup is {w} battery staple", "{w}"),
    "phrase as password": ("password: {w} battery staple onyx", "{w}"),
    "phrase told in quotes": ('unlock it, the passphrase is "{w} violet engine". Then run', "{w}"),
    "openssl enc": ("openssl enc -d -aes-256-cbc -in a -out b -k {m}", "{m}"),
    "copied table": (
        "COPY public.users (id, name, api_token) FROM stdin;\n1\tkim\t{k}\n\\.\n",
        "{k}",
    ),
    "user of a url": ("https://bobsmith@files.example.com/x", "bobsmith"),
    "unnamed value of a query": ("https://x.example.com/get?blob={k}&n=1", "{k}"),
    "quoted word": ('password: "{w}"', "{w}"),
    "quoted word json": ('{{"password": "{w}"}}', "{w}"),
    "escaped json": ('{{\\"password\\": \\"{w}\\"}}', "{w}"),
    "twice escaped json": ('{{\\\\\\"password\\\\\\": \\\\\\"{w}\\\\\\"}}', "{w}"),
    "single quotes": ("password='{w}'", "{w}"),
    "several words": ('passphrase: "{w} battery staple"', "{w}"),
    "bare word": ("passwd={w}", "{w}"),
    "yaml word": ("db:\n  password: {w}\n  port: 5432", "{w}"),
    "ini": ("password = {w}\n", "{w}"),
    "camel case": ('dbPassword: "{w}"', "{w}"),
    "typed": ('password: str = "{w}"', "{w}"),
    "index": ('config["password"] = "{w}"', "{w}"),
    "compared": ('if password == "{w}":', "{w}"),
    "xml": ("<password>{w}</password>", "{w}"),
    "url encoded": ("body=user%3Dbob%26password%3D{m}", "{m}"),
    "form": ("user=bob&password={m}&x=1", "{m}"),
    "cut off": ('{{"user": "bob", "password": "{m}', "{m}"),
    "comma inside": ("DB_PASSWORD={m},x!y", "{m}"),
    "bracket inside": ("password=P@ss({m})x", "{m}"),
    "env": ("export DB_PASSWORD={w}", "{w}"),
    "env pass": ("SMTP_PASS={w}", "{w}"),
    "env suffix": ("ADMIN_PASSWORD_1='{m}'", "{m}"),
    "pgpassword": ("PGPASSWORD={w} psql -h db", "{w}"),
    "mysql pwd": ("MYSQL_PWD={m} mysql", "{m}"),
    "connection string": ("Server=db;User Id=sa;Pwd={m};Encrypt=yes", "{m}"),
    "spoken": ("the password is {m}", "{m}"),
    "spoken quoted": ("use password '{m}' to log in", "{m}"),
    "name and value": ('{{"name": "DB_PASSWORD", "value": "{w}"}}', "{w}"),
    "name and value yaml": ("- name: API_TOKEN\n  value: {m}", "{m}"),
    "html form": ('<input name="password" value="{m}">', "{m}"),
    "mysql": ("mysql -u root -p{w} app", "{w}"),
    "mysqldump": ("mysqldump -uroot -p'{m}' app > x.sql", "{m}"),
    "long option": ("tool --password {w} --verbose", "{w}"),
    "long option equals": ("tool --password={w}", "{w}"),
    "long option token": ("tool --token {h}", "{h}"),
    "long option key": ("tool --api-key {m}q9w8 run", "{m}"),
    "sshpass": ("sshpass -p {w} ssh root@host", "{w}"),
    "sshpass quoted": ("sshpass -p '{m}!' scp a host:", "{m}"),
    "curl": ("curl -s -u bob:{w} https://x.example.com", "{w}"),
    "curl long": ("curl --user 'bob:{m}' https://x.example.com", "{m}"),
    "docker login": ("docker login -u bob -p {m} registry.example.com", "{m}"),
    "redis": ("redis-cli -h cache -a {m} ping", "{m}"),
    "mongo": ("mongosh -u admin -p {w} db", "{w}"),
    "zip": ("zip -r -P {w} out.zip dir", "{w}"),
    "7z": ("7z a -p{m} out.7z dir", "{m}"),
    "openssl": ("openssl rsa -in k.pem -passin pass:{w}", "{w}"),
    "ldap": ("ldapsearch -x -D cn=admin -w {w} -b dc=x", "{w}"),
    "ssh-keygen": ("ssh-keygen -t ed25519 -N '{w}' -f k", "{w}"),
    "htpasswd": ("htpasswd -cb .htpasswd bob {w}", "{w}"),
    "keytool": ("keytool -list -storepass {w}", "{w}"),
    "gpg": ("gpg --batch --passphrase {w} -d x", "{w}"),
    "piped": ("echo '{w}' | docker login -u bob --password-stdin", "{w}"),
    "sudo": ("echo {w} | sudo -S apt-get update", "{w}"),
    "chpasswd": ("echo 'bob:{w}' | chpasswd", "{w}"),
    "sql": ("CREATE USER bob IDENTIFIED BY '{w}';", "{w}"),
    "postgres role": ("ALTER ROLE bob WITH PASSWORD '{w}';", "{w}"),
    "netrc": ("machine api.example.com login bob password {w}", "{w}"),
    "pgpass": ("db.example.com:5432:app:bob:{w}", "{w}"),
    "database url": ("postgres://bob:{w}@db.internal/x", "{w}"),
    "database url at": ("postgres://bob:p@{w}@db.internal/x", "{w}"),
    "redis url": ("redis://:{m}@cache:6379/0", "{m}"),
    "mongo srv": ("mongodb+srv://bob:{m}@c0.example.net/db", "{m}"),
    "go dsn": ("bob:{m}@tcp(db:3306)/app", "{m}"),
    "git url": ("https://bob:{k}@git.example.com/x.git", "{k}"),
    "token in url": ("https://{h}@git.example.com/x.git", "{h}"),
    "query": ("https://api.example.com/v1?user=7&access_token={m}&x=1", "{m}"),
    "query escaped": ("https://api.example.com/v1?a=b\\u0026api_key={m}", "{m}"),
    "query key": ("https://maps.example.com/js?key={h}", "{h}"),
    "azure sas": ("https://x.blob.core.windows.net/c?sv=2022-11-02&sig={h}%3D", "{h}"),
    "aws signature": ("https://b.s3.amazonaws.com/x?X-Amz-Signature={h}", "{h}"),
    "account key": (
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={k}==;Suffix=y",
        "{k}",
    ),
    "shared access key": ("Endpoint=sb://x/;SharedAccessKeyName=r;SharedAccessKey={k}=", "{k}"),
    "basic": ("Authorization: Basic {b}", "{b}"),
    "basic json": ('"Authorization": "Basic {b}"', "{b}"),
    "bearer": ("Authorization: Bearer {h}", "{h}"),
    "bearer curl": ("curl -H 'Authorization: Bearer {h}' x", "{h}"),
    "bearer alone": ("bearer {h}", "{h}"),
    "token header": ("Authorization: token {h}", "{h}"),
    "digest": ('Authorization: Digest username="bob", response="{h}"', "{h}"),
    "aws4": ("Authorization: AWS4-HMAC-SHA256 Credential=x, Signature={h}", "{h}"),
    "raw header": ("Authorization: {h}", "{h}"),
    "proxy header": ("Proxy-Authorization: Basic {b}", "{b}"),
    "api key header": ("X-Api-Key: {h}", "{h}"),
    "private token header": ("PRIVATE-TOKEN: {h}", "{h}"),
    "cookie": ("Cookie: theme=dark; sid={h}; lang=en", "{h}"),
    "set-cookie": ("Set-Cookie: session={h}; Path=/; HttpOnly", "{h}"),
    "cookie json": ('"cookie": "sid={h}"', "{h}"),
    "curl cookie": ("curl -b 'sid={h}' https://x.example.com", "{h}"),
    "session cookie": ("PHPSESSID={h}", "{h}"),
    "django cookie": ("{{'sessionid': '{h}'}}", "{h}"),
    "express cookie": ("connect.sid=s%3A{h}.{m}", "{h}"),
    "slack hook": ("https://hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/{h}", "{h}"),
    "discord hook": ("https://discord.com/api/webhooks/123456789012345678/{k}", "{k}"),
    "telegram url": ("https://api.telegram.org/bot1234567:{h}/sendMessage", "{h}"),
    "teams hook": ("https://x.webhook.office.com/webhookb2/{h}/IncomingWebhook/{h}", "{h}"),
    "docker config": ('"auths": {{"https://index.docker.io/v1/": {{"auth": "{b}"}}}}', "{b}"),
    "npmrc": ("//packages.example.test/:_authToken={h}", "{h}"),
    "pip conf": ("index-url = https://bob:{m}@pypi.example.com/simple", "{m}"),
    "aws secret": ("aws_secret_access_key = {k}", "{k}"),
    "aws secret json": ('"SecretAccessKey": "{k}"', "{k}"),
    "aws configure": ("AWS Secret Access Key [None]: x\nsecret access key: {k}", "{k}"),
    "twilio token": ("TWILIO_AUTH_TOKEN={h}", "{h}"),
    "client secret": ('{{"client_secret": "{m}"}}', "{m}"),
    "client secret word": ('client_secret="{w}"', "{w}"),
    "api key env": ("MISTRAL_API_KEY={h}", "{h}"),
    "other key env": ("AZURE_OPENAI_KEY={h}", "{h}"),
    "token env": ("GITHUB_TOKEN={h}", "{h}"),
    "token json": ('{{"token": "{h}"}}', "{h}"),
    "secret key django": ("SECRET_KEY = 'django-insecure-{m}#$%'", "{m}"),
    "private key id": ('"private_key_id": "{h}0a1b2c3d"', "{h}"),
    "spring": ("spring.datasource.password={w}", "{w}"),
    "kubernetes data": ("data:\n  password: {b}", "{b}"),
    "terraform": ('variable "x" {{ default_password = "{w}" }}', "{w}"),
    "php": ("define('DB_PASSWORD', '{w}');", "{w}"),
    "php define": ("'password' => '{w}',", "{w}"),
    "go": ('Password: "{w}",', "{w}"),
    "powershell": ('$env:DB_PASSWORD = "{w}"', "{w}"),
    "mnemonic": ("seed phrase: " + " ".join([WORD[:7]] * 12), " ".join([WORD[:7]] * 12)),
}

_PEOPLE: dict[str, tuple[str, str]] = {
    "e-mail": ("alice.smith+news@example.co.uk", ""),
    "e-mail accents": ("zoë.müller@exämple.de", ""),
    "e-mail other script": ("用户@例子.公司", ""),
    "e-mail idn": ("bob@xn--exmple-cua.xn--p1ai", ""),
    "e-mail encoded": ("https://x.example.com/?u=alice%40example.com", "alice"),
    "e-mail json": ("first\\nalice@example.org\\nlast", "alice"),
    "e-mail entity": ("alice&#64;example.org", "alice"),
    "mailto": ("<mailto:alice@example.org>", "alice"),
    "author": ("Author: Alice Smith <alice@example.org>", "Smith"),
    "us phone": ("415-555-2671", ""),
    "us phone brackets": ("(415) 555-2671", ""),
    "us phone dots": ("415.555.2671", ""),
    "us phone plus": ("+1 (415) 555-2671", ""),
    "us phone bare": ("+14155552671", ""),
    "uk phone": ("+44 20 7946 0958", ""),
    "uk phone zero": ("+44 (0)20 7946 0958", "7946"),
    "uk national": ("020 7946 0958", ""),
    "uk mobile": ("07700 900123", ""),
    "german phone": ("+49 30 901820", ""),
    "german bare": ("+4915112345678", ""),
    "german national": ("030/9018200", ""),
    "german mobile": ("0151 12345678", ""),
    "french phone": ("+33 6 12 34 56 78", ""),
    "french national": ("06 12 34 56 78", ""),
    "french dots": ("06.12.34.56.78", ""),
    "indian phone": ("+91 98765 43210", ""),
    "japanese phone": ("+81 90-1234-5678", ""),
    "brazilian phone": ("+55 11 91234-5678", ""),
    "norwegian phone": ("+47 22 12 34 56", ""),
    "icelandic phone": ("+354 551 2345", ""),
    "double zero phone": ("0049 30 9018200", "9018200"),
    "named phone": ('"phone": "5551234567"', "5551234567"),
    "tel": ("tel:+14155552671", "4155552671"),
    "ssn": ("123-45-6789", ""),
    "ssn named": ("SSN: 123456789", "123456789"),
    "ipv4": ("203.0.113.7", ""),
    "ipv4 private": ("192.168.1.100", ""),
    "ipv4 ten": ("10.0.0.5", ""),
    "ipv4 small": ("ssh root@5.9.12.3", "5.9.12.3"),
    "ipv4 resolver": ("8.8.8.8", ""),
    "ipv4 url": ("http://3.11.4.1:8080/x", "3.11.4.1"),
    "ipv4 port": ("203.0.113.7:443", "203.0.113.7"),
    "ipv4 named": ('"ip": "1.2.3.4"', "1.2.3.4"),
    "ipv6": ("2001:db8::8a2e:370:7334", ""),
    "ipv6 full": ("2001:db8:0:0:8a2e:0:370:7334", ""),
    "ipv6 link": ("fe80::1ff:fe23", ""),
    "ipv6 url": ("http://[2001:db8::17]:8080/", "2001:db8::17"),
    "ipv6 mapped": ("::ffff:203.0.113.7", "203.0.113.7"),
    "home": ("/home/alice/work/x.py", "alice"),
    "home mac": ("/Users/alice.j/x", "alice.j"),
    "home windows": ("C:\\Users\\alice\\x", "alice"),
    "home windows json": ('"C:\\\\Users\\\\alice\\\\x"', "alice"),
    "home windows json twice": ("C:\\\\\\\\Users\\\\\\\\alice\\\\\\\\x", "alice"),
    "home windows slashes": ("C:/Users/alice/x", "alice"),
    "home windows blank": ("C:\\Users\\Alice Smith\\x", "Smith"),
    "home encoded": ("file=%2Fhome%2Falice%2Fx.py", "alice"),
    "home windows encoded": ("p=C%3A%5CUsers%5Calice%5Cx", "alice"),
    "home escaped slashes": ('"\\/home\\/alice\\/x"', "alice"),
    "home uri": ("file:///home/alice/x", "alice"),
    "home wsl": ("/mnt/c/Users/alice/x", "alice"),
    "home msys": ("/c/Users/alice/x", "alice"),
    "home unicode": ("/home/zoë/x", "zoë"),
    "claude folder": ("~/.claude/projects/-home-alice-project/x.jsonl", "alice"),
    "claude folder mac": ("-Users-alice-app", "alice"),
    "claude folder windows": ("projects/C--Users-alice-app/x.jsonl", "alice"),
    "listing": ("-rw-r--r-- 1 alice alice 1234 Jan  1 12:00 x", "alice"),
    "prompt": ("alice@laptop:~/app$ ls", "alice"),
    "user variable": ("USER=alice\nHOME=/home/alice", "alice"),
    "passwd line": ("alice:x:1000:1000:Alice Smith:/home/alice:/bin/bash", "Smith"),
}


def _people() -> list[Planted]:
    made = [Planted(kind, text, secret or text) for kind, (text, secret) in _PEOPLE.items()]
    numbers = {
        "visa": luhn("411111111111111"),
        "mastercard": luhn("555555555555444"),
        "amex": luhn("37828224631000"),
        "discover": luhn("601111111111111"),
        "diners": luhn("3056930902590"),
        "jcb": luhn("353011133330000"),
        "iban de": iban("DE", "370400440532013000"),
        "iban gb": iban("GB", "WEST12345698765432"),
        "iban fr": iban("FR", "20041010050500013M02606"),
        "iban no": iban("NO", "86011117947"),
    }
    for kind, number in numbers.items():
        made.append(Planted(kind, number, number))
        spaced = " ".join(number[n : n + 4] for n in range(0, len(number), 4))
        if len(number) == 16 or kind.startswith("iban"):
            made.append(Planted(f"{kind} spaced", f"pay {spaced} now", spaced))
    return made


def _blocks() -> list[Planted]:
    made = []
    kinds = (
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
    )
    for kind in (*kinds, "PGP PRIVATE KEY BLOCK"):
        text, secret = _block(kind)
        made.append(Planted(kind.lower(), f"a\n{text}\nb", secret))
    breaks = {"escaped": "\\n", "escaped twice": "\\\\n", "quoted": "\n> ", "numbered": "\n   12→"}
    for name, line_break in breaks.items():
        text, secret = _block("RSA PRIVATE KEY", line_break=line_break)
        made.append(
            Planted(f"private key {name}", f'{{"private_key": "{text}{line_break}"}}', secret)
        )
        text, secret = _block("RSA PRIVATE KEY", ending=False, line_break=line_break)
        made.append(Planted(f"private key {name} cut off", f"x {text}", secret))
    text, secret = _block("RSA PRIVATE KEY")
    made.append(Planted("private key without its beginning", text.split("\n", 1)[1], secret))
    line = noise("putty", 64, B64)
    made.append(Planted("putty key", f"Private-Lines: 2\n{line}\n{noise('end', 30, B64)}", line))
    made.append(Planted("aws pair", f"AK{'IA'}{noise('p', 16, UPPER)},{SECRET40}", SECRET40))
    public = f"ssh-ed25519 AAAA{noise('public', 64, B64)}"
    made.append(Planted("ssh comment", f"{public} bob@thinkpad", "bob@thinkpad"))
    lines = f"first\n{public} Bob Smith work key\nlast"
    made.append(Planted("ssh comment words", lines, "Bob Smith"))
    print_of = f"256 SHA256:{noise('print', 43, B64)} bob@thinkpad (ED25519)"
    made.append(Planted("ssh fingerprint", print_of, "bob@thinkpad"))
    made.append(Planted("ssh-keygen comment", "ssh-keygen -t rsa -C bob@thinkpad", "bob@thinkpad"))
    for kind in ("openai project", "anthropic", "google api"):
        key = keys()[kind]
        quoted = "".join(f"%{ord(sign):02X}" if not sign.isalnum() else sign for sign in key)
        whole = "".join(f"%{ord(sign):02x}" for sign in key)
        wrapped = base64.b64encode(key.encode()).decode()
        config = base64.b64encode(f"token = {key}\nx = 1\n".encode()).decode()
        if quoted != key:
            made.append(Planted(f"{kind} percent-encoded", f"https://x.org/?a={quoted}", quoted))
        made.append(Planted(f"{kind} wholly percent-encoded", f"body={whole}", whole))
        made.append(Planted(f"{kind} in base64", f"data: {wrapped}", wrapped))
        made.append(Planted(f"{kind} in base64 with other text", f"data: {config}", config))
    settings = base64.b64encode(f"aws_secret_access_key={SECRET40}\n".encode()).decode()
    made.append(Planted("settings in base64", f"echo {settings} | base64 -d", settings))
    made.append(Planted("twilio pair", f"A{'C'}{noise('q', 32, HEX)}:{HEX32}", HEX32))
    return made


def planted() -> list[Planted]:
    """Everything that has to go."""
    given = {"w": WORD, "m": MIXED, "k": SECRET40, "h": HEX32, "b": _B64_LOGIN}
    made = [Planted(kind, key, key) for kind, key in keys().items()]
    made += [
        Planted(kind, text.format(**given), secret.format(**given))
        for kind, (text, secret) in _CONTEXTS.items()
    ]
    return made + _blocks() + _people()
