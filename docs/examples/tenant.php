<?php
const API = "http://localhost:8787/tenant";

final class ApiProblem extends RuntimeException {
    public function __construct(
        public readonly int $status,
        public readonly string $error,
        public readonly string $detail,
        public readonly array $errors,
        public readonly ?string $requestId,
    ) {
        parent::__construct("$status $error: $detail");
    }
}

// The last try begins within so many seconds.
function call(string $method, string $path, array|object|null $body = null, array $headers = [], int $seconds = 120): ?array {
    $own = ["x-api-key" => getenv("API_KEY"), "content-type" => "application/json", "idempotency-key" => bin2hex(random_bytes(16))];
    $request = ["method" => $method, "ignore_errors" => true, "follow_location" => 0, "timeout" => min(30, $seconds)];
    foreach (array_change_key_case($headers) + $own as $name => $value) $request["header"][] = "$name: $value";
    if ($body !== null) $request["content"] = json_encode($body, JSON_THROW_ON_ERROR);
    for ([$left, $until] = [5, time() + $seconds]; ; ) {
        $http_response_header = [];
        $text = @file_get_contents(API . $path, false, stream_context_create(["http" => $request]));
        $answered = implode("\n", $http_response_header);
        $read = fn(string $name) => preg_match("/^$name: *(.*)/im", $answered, $found) ? $found[1] : null;
        $status = (int) substr($answered, 9, 3);
        if ($status === 204) return null;
        $content = json_decode((string) $text, true);
        if ($status < 300) {
            if ($status >= 200 && is_array($content)) return $content;
            $status = 0;
        }
        $left = $status === 500 ? min($left - 1, 1) : $left - 1;
        $retried = in_array($status, [0, 408, 429]) || $status >= 500 || $read("Retry-After") !== null;
        $after = $read("Retry-After") ?? "";
        $wait = ctype_digit($after) ? (int) $after : 5;
        if ($left === 0 || !$retried || time() + $wait > $until) {
            if ($answered === "") $content = ["error" => "no-answer", "detail" => error_get_last()["message"] ?? "No answer."];
            elseif (!isset($content["error"])) $content = ["error" => "unexpected-answer", "detail" => "Not an answer of the API, or not all of it."];
            throw new ApiProblem($status, $content["error"], $content["detail"], $content["errors"] ?? [], $read("X-Request-Id"));
        }
        sleep($wait);
    }
}

function items(string $path, array $filters = []): Generator {
    $query = ["limit" => 100] + $filters;
    do {
        $page = call("GET", "$path?" . http_build_query($query));
        yield from $page["items"];
        $query["cursor"] = $page["nextCursor"] ?? null;
    } while ($query["cursor"] !== null);
}

function verify(string $secret, array $headers, string $body): bool {
    // Anybody can sign with an empty secret.
    if (!preg_match("~^whsec_[\w+/]{32,}=*$~", $secret)) throw new InvalidArgumentException("The secret of a webhook begins with whsec_. Is it set?");
    $headers = array_change_key_case($headers);
    $timestamp = $headers["webhook-timestamp"] ?? "";
    if (abs(time() - (int) $timestamp) > 300) return false;
    $signed = ($headers["webhook-id"] ?? "") . ".$timestamp.$body";
    $expected = "v1," . base64_encode(hash_hmac("sha256", $signed, base64_decode(substr($secret, 6)), true));
    foreach (explode(" ", $headers["webhook-signature"] ?? "") as $one) if (hash_equals($expected, $one)) return true;
    return false;
}
