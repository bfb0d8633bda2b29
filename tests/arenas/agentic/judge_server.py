"""A judge on this machine: a server of chat completions that says what it is told to say."""

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class JudgeServer:
    """Answers every request with this score under ``status``, and keeps what it was asked.

    ``text`` is said instead of a judgment, where there is any. Without ``reports_usage`` its
    replies have no usage, so that their cost is unknown.
    """

    def __init__(self):
        self.status, self.score, self.text, self.asked = 200, 9, "", []
        self.reports_usage = True
        judge = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                given = json.loads(self.rfile.read(int(self.headers["content-length"])))
                judge.asked.append({**given, "key": self.headers["authorization"]})
                body = json.dumps(judge.reply(given)).encode()
                self.send_response(judge.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def reply(self, given):
        if self.status != 200:
            return {"error": {"message": "the judge is not in", "type": "invalid_request_error"}}
        nonce = re.search(r"<<<ANSWER (\w+)>>>", str(given["messages"]))[1]
        judgment = {
            "evidence": "Hello",
            "rationale": "It greets.",
            "score": self.score,
            "confidence": 1,
            "cannot_judge": False,
            "nonce": nonce,
        }
        said = {"role": "assistant", "content": self.text or json.dumps(judgment)}
        used = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        return {
            "id": "r-1",
            "object": "chat.completion",
            "created": 1_760_000_000,
            "model": given["model"],
            "choices": [{"index": 0, "message": said, "finish_reason": "stop"}],
            **({"usage": used} if self.reports_usage else {}),
        }

    @property
    def environ(self):
        """The variables that lead to it, for the endpoint openai."""
        port = self._server.server_address[1]
        return {
            "OPENAI_API_KEY": "sk-proj-of-the-judge-0123456789",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
        }

    @contextmanager
    def running(self):
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()
