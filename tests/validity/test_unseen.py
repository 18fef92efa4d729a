"""The agents that were written without sight of the inference are kept as they were."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
# They were frozen before the inference first saw them.
FROZEN = {
    "unseen/README.md": "fb0a6d67e18e9d1e6239ab3ef68d8bf96f9577dcaeb4cfb085b5610c9bb4a92f",
    "unseen/agents.py": "6adf4c2a28f42a6eba50aff7cf24f9c8f467b7b77b15d5878f2b79393323c657",
    "unseen/check.py": "8fdf9a8ca6c420a2fd76cea45bb4ce68e24fb825187b7bf1f0a994fa2985c2fb",
    "unseen2/README.md": "6e9be6d6c866d46d2840f59961a9a141e5a0fd53c4da480bfbba8d2d7bd7382b",
    "unseen2/agents.py": "7278d8f37840ac449f5860586fccfc869db2602cb15046706ac7f9da11c8fc1f",
    "unseen2/check.py": "2c0cfd8b186662c782b043cc60bf19d70932926575e75b26a5feb8b5755f8197",
    "unseen2/worlds.py": "0653c67d832985de5cc1b325880b733b790746e5e357c5dda497e560752a984a",
    "unseen2/writers.py": "e1272d307bb9f1a15eb2a793818284c17d0375b4e63f042a29692db00a7e9a8f",
    "unseen3/README.md": "42cd0fc45c0b598a575ba0a056c213c775879552a44ead18eba00b0f7d1ac594",
    "unseen3/agents.py": "07dde7b1349581cb747caf8cdbf386a7fa24995a805373e7ced9fea9f4a63082",
    "unseen3/check.py": "68fb712c4c42eb745dddc9a672b3b63419bc177a75366c07f39d58edf4878d75",
    "unseen3/check_output.txt": "4edd47ee2910e068ba86d751bb04e20e15bcd1eced09cc834c20723d11e154d4",
    "unseen3/worlds.py": "66b0f4993f0197902c700ddbac53a6dd5f42b970a8b346e6589c2edec9ae3cbf",
    "unseen3/writers.py": "e2ecbc9dfb97377febe425b8c08e304551d0043fad21976d7a112c1a8c6e134f",
    "unseen4/README.md": "3dac2f746c445c7cd5f61c2edf860af9cd2804d0a7e08e80045e012df2f79cc5",
    "unseen4/agents.py": "e6962bd3f8b8242f12cd2303eb121c86fddaa11477fd1e803f3c7e40abaf6c65",
    "unseen4/check.py": "98cc20b79f75ba9e4689d1853e4eba41732b0132c19281f21a256ce64bf65ab5",
    "unseen4/check_output.txt": "d7ab1b5c8b44e71066faeee9fb47d217d4e48c301d04d801c6a31cc9edd643dc",
    "unseen4/worlds.py": "0cf233e10c3f24eeec2945dd02b939bbad8bea10e5d8a03aceb4e1f76bad747e",
    "unseen4/writers.py": "498f1270a7d5379482698be991b199f4687d3ec85c8b7efcd98c550d9d2a7be9",
    "unseen5/README.md": "be130f3fc09f13647e02d71336227e13261649edfa91b43da4ec6caa3e1104b1",
    "unseen5/__init__.py": "42bfb775807f8a6a5f8311540cdc44f0184c58efaba22694ed8127378031b517",
    "unseen5/agents.py": "b6e6ac3efcfbef0ad2e8669ef92eb7991e6648933e9c863d938e003b7f40630e",
    "unseen5/check.py": "aa44256c3ba61acac39b67c2bbbcc35e7da02d120994c5b002986520ae8e83ac",
    "unseen5/check_output.txt": "f982c8dbff67399ac1bab70fbaa4c770fb12627a6a5a5622d2053ce705f9fd8e",
    "unseen5/t5_worlds.py": "5cf9f6f84b98ef354765b2da99fb13f86c91f6868fc7fe0b54f9d6e4e4d6678f",
    "unseen5/t5_writers.py": "5e52b26b16efccf4f6cd84ac24fd01f6be8c44b82c4741c2745e7f62650a6155",
    "unseen6/README.md": "a0a2ba8067a4652670475162bbe08a5e1d43db121f10970d4199d54fe300e014",
    "unseen6/__init__.py": "d93e38592b0596b8199a0d645b92b1aa85f9852533bcc88d2344d8650853c854",
    "unseen6/agents.py": "efa3bbfff37dfd95d9325004fd5a963997b03046c57bfb27be94439e2f3dfbc0",
    "unseen6/check.py": "f85ea59376694bf3c68afc53bb1974f361a028f74e96f418659fe659f9c568d9",
    "unseen6/check_output.txt": "be875d68e8ed41c5700b8ae6647cd77cd5eb14dc06ab9199ef434a7ffe3b41dd",
    "unseen6/t6_worlds.py": "44a7cd1451e18721fde5deffb24fc8fea0be33282bfb07d9648a94eaa7b1021b",
    "unseen6/t6_writers.py": "e47d767ed0a0742c672088326f93053ec73213378ed7ac29ef062742ef191285",
    "unseen7/README.md": "75e175da1b6f36bf86de8df9f2dcc0258297b31f3ac6c1e6032b6f29d134e02b",
    "unseen7/__init__.py": "3bc3498112cd065c6d2ac9276c6a8a13a654df5565dbfedb55a76b2f6dbd68a9",
    "unseen7/agents.py": "753365ac804c6701e458bc70a43d6645304b35fcd1b15539ab9d0d7ec478dcd6",
    "unseen7/check.py": "43d58980c54025a84a528be8c97149f7bc5dc0c4df9aebf1035581b753116a00",
    "unseen7/check_output.txt": "e25dc753a1c422bc6118dbeb417cf9249d0eb4ad415f1b9e5324c54a32967408",
    "unseen7/t7_formats.py": "acbad4357b0861dc6d8f863a8f57837e19b5125891e866d4f5fe940ea299e9c2",
    "unseen7/t7_life.py": "922955503eade53ddae57f49b207453a484540b2898c99c18593a00fdf88eea5",
    "unseen7/t7_worlds.py": "b75583541edf32ada78164da521c2c2a8b93d34e481c380323fa4d9d590ae486",
    "unseen8/README.md": "63193ddbe003667a59e26bf760e430c530e8fc5b63778e84d31424db29fd8a33",
    "unseen8/__init__.py": "fa739880abeb8646df0f5f1f128129682a2c9c0645afb36488021875e167f44d",
    "unseen8/agents.py": "0b27d701a5f1c49dd8da5a3bb92e4453aa9fd493e7ee2026f0a43f0fb341f3a7",
    "unseen8/check.py": "85c6c80a712fe779531ea524b5338547b6d651ea5716050480c24cd94b6aca41",
    "unseen8/check_output.txt": "10dfd7ebf4269269f086c4e25ba21edca0fd97cdb1fb2073e457aa0383e867d1",
    "unseen8/t8_cc.py": "7b63616230699de9dba7597aef1739af06f65bc80c5e48e14dd260a61f7f9efd",
    "unseen8/t8_sim.py": "8150a5a0c8e9e4810cf2f0c0cf56e8fc403639046a3ea2590d0dffa27b5e6c7e",
    "unseen8/t8_text.py": "70469e5d359d7a5c4efba21ea948792985ccceb49fd3666a35cfa5e044a52c03",
    "unseen8/t8_world.py": "c996eebe2ff1b18a8269a455a70d1f21aaf629aed9d08cb732e0dbdee9133182",
    "unseen9/README.md": "a3f088d7a1c54074c1a02103154d88cad6e3829f5cffef4d3bc661fc6f72ad28",
    "unseen9/__init__.py": "777ba20e6679814166cd6b8023dcc088ce2a5a38fa57f63e52c62661a8234ba3",
    "unseen9/agents.py": "a235b02e2192e33a742ce432e833560861ad0c49811f574c69282503eb3e5858",
    "unseen9/check.py": "2e4c5846649e02b0829e4b85685e28691fb843d5869cf4b2f9299869b8e55d91",
    "unseen9/check_output.txt": "bc3d9abf1d69b6df7bb2276587e39478c7cab52b978ea03adc907f096267c906",
    "unseen9/t9_life.py": "1ac072c1b6fa4c91d0db17a38f3d2d422de13c295f0222f5f799a19bd7340101",
    "unseen9/t9_out.py": "1bae85be3c82520e8841f121ccb3871cd175fab6bf6602137b5f11ec0b8dfb18",
    "unseen9/t9_words.py": "c047440bd8fea36a3e2dd140fae57b9069209b4ca9a6be4422b5e5d9f1c3d3e8",
    "unseen9/t9_world.py": "d8e676b21f55258364856e080b47ae123ce3b2b5e6494517963dfd1b75d0b381",
    "unseen10/README.md": "ae0dffa255518522f866995af46bea1f58bdb98139d058b3be43825895247f8d",
    "unseen10/__init__.py": "94e357777ef223211170b675536d9db476cad1ec3637cb82d37b0212ff9bcd84",
    "unseen10/agents.py": "077a97f118a4fcb76cb6dcc0e0c7d8ef4571303e7d36d098a301f6b4e014022b",
    "unseen10/check.py": "ba6a37f0de157da53dd6c97c84723e352032dbd038162403eeca3fd79aa374a7",
    "unseen10/check_output.txt": "dec5f92705542bc0a192f63bc1c6d26ef571ca17728803b92f1c3d0eaf1b5d1a",
    "unseen10/t10_engine.py": "9e5f10433f28390354f34d6a8d5a5a915e4cddcc10d69c69b055a9de47fc7314",
    "unseen10/t10_words.py": "a64abfaa4b34894c2ddbcd7486d6bf6ee3c0651dd44dd9117a44844225b99a51",
    "unseen10/t10_world.py": "987795fbf9a0667b3524a1f6634a7a920f1675c07b1476f3dbefafc749ec2ca9",
    "unseen10/t10_write.py": "96dda57d95d334f657d205ee85f898c799d27b7b453c1fdad1fdf6edc5857635",
    "unseen11/README.md": "29f99528de9ad7cae328a05e2a2fa4dac94ef52f604c1f09b014530277090b3a",
    "unseen11/__init__.py": "94e357777ef223211170b675536d9db476cad1ec3637cb82d37b0212ff9bcd84",
    "unseen11/agents.py": "8f33fa38fe323c00945b078cc4b7f044aa97d6984f60f2c49c2d5aaf038bc114",
    "unseen11/check.py": "a5078a142ea80a12a8df40641ad7ba56c1f7c688924020ed5d61e9a3d493436a",
    "unseen11/check_output.txt": "46c50d4c758dd6c33df2f959907a9ee67f84a89f2e134820b98135dd985ec8a0",
    "unseen11/s11_world.py": "78bc2bb90a581ed5ab3a9c8bd27332a8817a4e7cb0e0668ae4dc21c6321157c1",
    "unseen11/s11_write.py": "8cd57eb534eadb5c0077abbd3f32fec7ba243f760e5632b0dd8b49f3b2663ece",
}


@pytest.mark.parametrize("name", FROZEN)
def test_the_unseen_agents_are_unchanged(name: str) -> None:
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == FROZEN[name]
