import base64, hashlib, hmac, http.client, json, os, re, time, urllib.parse, urllib.request, uuid

API = "http://localhost:8787/tenant"

class ApiProblem(Exception):
    def __init__(self, status, headers, problem):
        super().__init__(f"{status} {problem['error']}: {problem['detail']}")
        self.status, self.error, self.detail = status, problem["error"], problem["detail"]
        self.errors = problem.get("errors", [])
        self.request_id = headers.get("X-Request-Id")

class AnyStatus(urllib.request.HTTPErrorProcessor):
    def http_response(self, request, answer):
        return answer
    https_response = http_response

opener = urllib.request.build_opener(AnyStatus)

def send(request):
    try:
        with opener.open(request, timeout=30) as answer:
            status, headers, text = answer.status, answer.headers, answer.read()
    except (OSError, http.client.HTTPException) as failure:
        return 0, {}, {"error": "no-answer", "detail": repr(failure)}
    if status == 204:
        return status, headers, None
    unexpected = {"error": "unexpected-answer", "detail": "Not an answer of the API, or not all of it."}
    try:
        content = json.loads(text)
    except ValueError:
        return (0 if status < 300 else status), headers, unexpected
    return status, headers, content if status < 300 or "error" in content else unexpected

def call(method, path, body=None, headers={}):
    own = {"X-API-Key": os.environ["API_KEY"], "Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data, own | headers, method=method)
    left, until = 5, time.monotonic() + 120
    while True:
        status, answered, content = send(request)
        if 200 <= status < 300:
            return content
        left = min(left - 1, 1) if status == 500 else left - 1
        retried = status in (0, 408, 429) or status >= 500 or "Retry-After" in answered
        seconds = answered.get("Retry-After", "")
        wait = int(seconds) if seconds.isdecimal() else 5
        if left == 0 or not retried or time.monotonic() + wait > until:
            raise ApiProblem(status, answered, content)
        time.sleep(wait)

def items(path, filters={}):
    query = {"limit": 100, **filters}
    while True:
        page = call("GET", f"{path}?{urllib.parse.urlencode(query)}")
        yield from page["items"]
        if "nextCursor" not in page:
            return
        query["cursor"] = page["nextCursor"]

def verify(secret, headers, body):
    # Anybody can sign with an empty secret.
    if not re.fullmatch(r"whsec_[\w+/]{32,}=*", secret, re.ASCII):
        raise ValueError("The secret of a webhook begins with whsec_. Is it set?")
    headers = {name.lower(): value for name, value in headers.items()}
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{timestamp}.".encode() + body
    mac = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(mac)
    return any(hmac.compare_digest(expected, one.encode()) for one in headers.get("webhook-signature", "").split(" "))
