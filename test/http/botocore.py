#!/usr/bin/env python3
"""Compare signatures and settings of S3 with those of botocore, the AWS library for Python.

    botocore.py sign COMMAND     at least 200 random URLs, TESS_TEST_CASES of them if that is set
    botocore.py config COMMAND   random environments and files of ~/.aws

COMMAND is signer (signer.c). Bucket, key and query go to both as they are, so that encoding, order
and place are compared, too. 77 is the exit status when there is no Python with botocore.
"""
import os
import random
import subprocess
import sys
import tempfile
from datetime import datetime, timezone

HERE = os.path.dirname(os.path.abspath(__file__))
# Its own folder comes first, where this file would be taken for the module.
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != HERE]
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.dont_write_bytecode = True
from pythons import interpreter

try:
    import botocore.auth
    import botocore.awsrequest
    import botocore.config
    import botocore.configprovider
    import botocore.credentials
    import botocore.exceptions
    import botocore.session
    import botocore.utils
except ImportError:
    botocore = None

# Endpoints of files and of the environment came with 1.31.
ENDPOINTS = hasattr(getattr(botocore, "configprovider", None), "ConfiguredEndpointProvider")
CASES = int(os.environ.get("TESS_TEST_CASES") or 600)
CONFIGS = int(os.environ.get("TESS_TEST_CASES") or 60)
KEYS = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
PIECES = ["=", "+", "%", "~", " ", "&", "?", "#", "/", "//", ".", "..", "/../", "/./", "a", "B", "7",
          "-", "_", "%20", "%2F", "\u00e4", "\u65e5\u672c", "\U0001f600", "'", '"', "(", ")", "*",
          "!", "$", ",", ";", ":", "@", "[", "]", "<", ">", "^", "`", "{", "|", "}", "\\", "\t",
          "\x7f"]
# Region, style, endpoint, bucket.
PLACES = [
    ("us-east-1", "auto", None, "bucket"),
    ("eu-central-1", "auto", None, "my-bucket-1"),
    ("us-west-2", "path", None, "bucket"),
    ("us-west-2", "auto", None, "bucket.with.dots"),
    ("cn-north-1", "virtual", None, "bucket"),
    ("us-gov-west-1", "auto", None, "bucket"),
    ("us-iso-east-1", "auto", None, "bucket"),
    ("us-isob-east-1", "auto", None, "bucket"),
    (None, "auto", None, "bucket"),
    ("us-east-1", "auto", "http://localhost:9000", "bucket"),
    ("eu-west-1", "path", "https://storage.example:443/base", "bucket.with.dots"),
    ("eu-west-1", "virtual", "http://storage.example:8080", "bucket"),
    ("us-east-1", "auto", "http://[::1]:9000", "bucket"),
    ("us-east-1", "auto", "http://127.0.0.1:80", "bucket"),
]


def fail(text):
    print(text)
    sys.exit(1)


def word(rng, most):
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(0, most)))


class Clock(datetime):
    now_is = None

    @classmethod
    def utcnow(cls):
        return cls.now_is.replace(tzinfo=None)


def set_clock(seconds):
    """Botocore asks one of two clocks, the first since 1.40."""
    Clock.now_is = datetime.fromtimestamp(seconds, timezone.utc)
    if hasattr(botocore.auth, "get_current_datetime"):
        botocore.auth.get_current_datetime = lambda *_, **__: Clock.utcnow()
    else:
        botocore.auth.datetime = type("datetime", (), {"datetime": Clock})


def client_of(place):
    """What knows where buckets are. No request is made."""
    region, style, endpoint, _ = place
    session = botocore.session.Session()
    session.set_credentials(*KEYS)
    config = botocore.config.Config(signature_version="s3v4", s3={
        "addressing_style": style, "us_east_1_regional_endpoint": "regional"})
    client = session.create_client("s3", region_name=region, endpoint_url=endpoint, config=config)
    client.meta.events.register_first("before-send.s3", stop)
    return client


class Sent(Exception):
    """Ends a request before it leaves."""


def stop(request, **_):
    raise Sent(request.url)


def url_of(client, bucket, key):
    """Where a request would go. (URLs for others have another host by default.)"""
    try:
        client.head_object(Bucket=bucket, Key=key)
    except Sent as sent:
        return sent.args[0]
    return None


class Case:
    def __init__(self, rng, number):
        self.place = PLACES[number % len(PLACES)]
        self.method = rng.choice(["GET", "PUT", "POST", "HEAD", "DELETE"])
        self.now = rng.randint(0, 4102444800)
        self.expires = rng.randint(1, 604800)
        self.key = rng.choice("ab/.~%=+ ") + word(rng, 12)
        self.token = rng.choice([None, "FwoGZXIvYXdzE//+=" + str(number)])
        self.payload = rng.choice([None, "UNSIGNED-PAYLOAD", "%064x" % rng.getrandbits(256)])
        names = {word(rng, 3) + rng.choice("abcXYZ-._~=+%") for _ in range(rng.randint(0, 5))}
        if rng.random() < 0.3: # beginnings of each other
            names |= {"a", "a-b", "a.b", "a b", "ab", "A"}
        names = sorted(names)
        self.repeated = bool(names) and rng.random() < 0.2
        if self.repeated:
            names += rng.choices(names, k=4)
        self.query = [(name, rng.choice(["", "", word(rng, 4)])) for name in names]
        rng.shuffle(self.query)

    def line(self):
        def text(value):
            return "-" if value is None else value.encode().hex()
        # An empty text has no digits: it is the end of a text instead.
        def field(value):
            return text(value) or "00"
        region, style, endpoint, bucket = self.place
        fields = [self.method, str(self.now), str(self.expires), field(region), style,
                  field(endpoint), field(bucket), field(self.key), field(self.token),
                  field(self.payload)]
        for name, value in self.query:
            fields += [field(name), field(value)]
        return " ".join(fields)

    def request(self, url):
        request = botocore.awsrequest.AWSRequest(method=self.method, url=url, params=self.query)
        request.context["client_config"] = None
        return request

    def expected(self, client):
        """URL without query, Authorization, signature of the signed URL. Botocore signs URLs with
        one value of a name only, and leaves out others: then the signature is None."""
        set_clock(self.now)
        url = url_of(client, self.place[3], self.key)
        region = self.place[0] or "us-east-1"
        credentials = botocore.credentials.Credentials(*KEYS, self.token)
        auth = botocore.auth.S3SigV4Auth(credentials, "s3", region)
        if self.payload:
            auth.payload = lambda _: self.payload
        header = self.request(url)
        auth.add_auth(header)
        if self.repeated:
            return url, header.headers["Authorization"], None
        signed = self.request(url)
        signed.params = dict(self.query)
        botocore.auth.S3SigV4QueryAuth(credentials, "s3", region, self.expires).add_auth(signed)
        return url, header.headers["Authorization"], signed.url.split("&X-Amz-Signature=")[1]


def sign(command):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    cases = [Case(rng, i) for i in range(max(CASES, len(PLACES)))]
    text = "".join(case.line() + "\n" for case in cases)
    run = subprocess.run([command, "sign"], input=text, stdout=subprocess.PIPE, text=True,
                         check=True)
    lines = run.stdout.splitlines()
    if len(lines) != len(cases):
        fail(f"{len(cases)} requests, {len(lines)} lines")
    clients = {place: client_of(place) for place in PLACES}
    for case, line in zip(cases, lines):
        have_url, have_header, have_signed = line.split(" ")
        url, header, signature = case.expected(clients[case.place])
        about = f"{case.place} {case.key!r} {case.query!r} {case.line()}"
        # The port of the scheme may be there or not.
        if have_url.split("?")[0] != url:
            fail(f"{about}\nURL {have_url}\nbotocore {url}")
        if have_header != ("Authorization: " + header).replace(" ", "|"):
            fail(f"{about}\n{have_header}\nbotocore {header}")
        if not have_signed.startswith(url + "?") or (signature and not have_signed.endswith(
                "&X-Amz-Signature=" + signature)):
            fail(f"{about}\nsigned {have_signed}\nbotocore {signature}")
    print(f"{len(cases)} URLs are signed as by botocore {botocore.__version__}")


def some(rng, choices, most):
    return rng.sample(choices, rng.randint(0, min(most, len(choices))))


def value(rng, name):
    """A line of a file."""
    spaces = rng.choice(["", " ", "  "])
    return f"{rng.choice([name, name, name.upper()])}{spaces}{rng.choice('==:')}{spaces}" \
           f"{name[-8:]}{rng.randint(0, 99)}{rng.choice(['', ' ', '=x', ' # no comment'])}\n"


KEY_NAMES = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token",
             "aws_security_token"]


def section(rng, header, names):
    text = f"[{header}]{rng.choice(['', ' ', ' # x'])}\n"
    for name in names:
        text += rng.choice(["", "", "\n", "# comment = 1\n", "; [x]\n"]) + value(rng, name)
    return text


def endpoint(rng):
    return f"endpoint_url = http://{rng.choice('abc')}{rng.randint(0, 99)}:9000/\n"


def keys_of(rng):
    """Mostly both, sometimes one."""
    names = rng.choice(3 * [KEY_NAMES[:2], KEY_NAMES[:3], KEY_NAMES, []] +
                       [KEY_NAMES[:1], KEY_NAMES[1:2]])
    return rng.sample(names, len(names))


def config_file(rng):
    parts = []
    for header in rng.sample(["default", "profile one", "profile 'two words'", 'profile "one"',
                              "one", "two words", "preview"], rng.randint(2, 7)):
        text = section(rng, header, keys_of(rng) + some(rng, ["region", "output"], 2))
        text += endpoint(rng) if ENDPOINTS and rng.random() < 0.3 else ""
        if ENDPOINTS and rng.random() < 0.4:
            text += "services = local\n"
        if ENDPOINTS and rng.random() < 0.1:
            text += f"ignore_configured_endpoint_urls = {rng.choice(['true', 'True', 'false'])}\n"
        if rng.random() < 0.3:
            text += f"s3 =\n  addressing_style = {rng.choice(['path', 'virtual', 'auto'])}\n" \
                    "\n  max_concurrent_requests = 4\n"
        parts.append(text)
    if rng.random() < 0.95:
        parts.append("[services local]\ndynamodb =\n  " + endpoint(rng) + "s3 =\n  " +
                     rng.choice([endpoint(rng), "other = 1\n", "# comment\n  " + endpoint(rng)]))
    if rng.random() < 0.05:
        parts.append(rng.choice(["no section\n", "[default]\nregion=x\n[default]\nregion=y\n",
                                 "[x]\na=1\nA=2\n", "[x]\n=1\n", "[x\ny=1\n", "[x]\nnothing\n",
                                 "[x]\ns3 =\n  nothing\n"]))
    rng.shuffle(parts)
    return rng.choice(["", "\n", "# first\n"]) + "\n".join(parts)


def credentials_file(rng):
    return "\n".join(section(rng, header, keys_of(rng) + some(rng, ["region"], 1))
                     for header in rng.sample(["default", "one", "two words", "profile one"],
                                              rng.randint(1, 4)))


def environment(rng, home):
    env = {"HOME": home, "AWS_EC2_METADATA_DISABLED": "true", "PATH": os.environ.get("PATH", ""),
           # The sanitizers' options have to reach the program.
           **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}
    choices = {
        "AWS_PROFILE": ["one", "one", "one", "two words", "default", "missing"],
        "AWS_DEFAULT_PROFILE": ["one", "default"],
        "AWS_ACCESS_KEY_ID": ["envid", ""], "AWS_SECRET_ACCESS_KEY": ["envsecret"],
        "AWS_SESSION_TOKEN": ["envtoken", ""], "AWS_SECURITY_TOKEN": ["oldtoken"],
        "AWS_DEFAULT_REGION": ["eu-central-1"],
        "AWS_ENDPOINT_URL": ["http://global/", ""], "AWS_ENDPOINT_URL_S3": ["http://s3/"],
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": ["true", "false"],
        "AWS_CONFIG_FILE": ["~/other", "/dev/null", "/nowhere"],
        "AWS_SHARED_CREDENTIALS_FILE": [home + "/more"],
    }
    for name, values in choices.items():
        if "ENDPOINT" in name and not ENDPOINTS:
            continue
        if rng.random() < (0.5 if name == "AWS_PROFILE" else 0.2):
            env[name] = rng.choice(values)
    return env


def found_by_botocore():
    """The lines that `signer config` prints, with this process's environment; None: it fails."""
    session = botocore.session.Session()
    try:
        session.get_scoped_config()
        found = session.get_credentials()
        region = session.get_config_variable("region")
        url = None
        if ENDPOINTS and not session.get_config_variable("ignore_configured_endpoint_urls"):
            url = botocore.configprovider.ConfiguredEndpointProvider(
                session.full_config, session.get_scoped_config(), "s3").provide()
        nested = session.get_scoped_config().get("s3") or {}
    except botocore.exceptions.BotoCoreError:
        return None
    keys = [found.access_key, found.secret_key, found.token] if found else [None] * 3
    return [text or "-" for text in keys + [region, url]] + [nested.get("addressing_style", "auto")]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def config(command):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    failures = 0
    for _ in range(CONFIGS):
        with tempfile.TemporaryDirectory() as home:
            env = environment(rng, home)
            for name in [".aws/config", "other", ".aws/credentials", "more"]:
                if rng.random() < 0.8:
                    make = config_file if name in (".aws/config", "other") else credentials_file
                    write(os.path.join(home, name), make(rng))
            os.environ.clear()
            os.environ.update(env)
            want = found_by_botocore()
            have = subprocess.run([command, "config"], env=env, stdout=subprocess.PIPE, text=True,
                                  check=True).stdout.splitlines()
            if have[0].startswith("status ") != (want is None) or (want and have != want):
                files = "".join(f"--- {path}\n{open(path, encoding='utf-8').read()}"
                                for path in (os.path.join(folder, name)
                                             for folder, _, names in os.walk(home)
                                             for name in names))
                fail(f"{env}\n{files}--- found {have}\nbotocore {want}")
            failures += want is None
    print(f"{CONFIGS} settings are read as by botocore {botocore.__version__}, "
          f"{failures} of them refused")


def main():
    if botocore is None:
        python = interpreter(["botocore"])
        if not python:
            print("no Python with botocore")
            sys.exit(77)
        os.execv(python, [python, *sys.argv])
    {"sign": sign, "config": config}[sys.argv[1]](sys.argv[2])


main()
