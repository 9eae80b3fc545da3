import re
import subprocess
import sys

from check import expect, places, step, version

version("schemathesis")
words = [
    f"{sys.prefix}/bin/schemathesis", "run", f"{places['gateway']}/openapi.json", "--url", places["gateway"],
    "--checks", "not_a_server_error,response_schema_conformance", "--include-path-regex", "^/wallet/",
    "--phases", "fuzzing", "--max-examples", "20", "--request-timeout", "20", "--seed", "1",
    "--workers", "2", "--continue-on-failure", "--no-color",
]
try:
    done = subprocess.run(words, capture_output=True, text=True, timeout=270, check=False)
    output = done.stdout + done.stderr
except subprocess.TimeoutExpired as late:
    output = (late.stdout or b"").decode() + "\ntimed out"
with open("report.txt", "w", encoding="utf-8") as report:
    report.write(output)
step("it ends", lambda: expect("timed out" not in output and "Test cases:" in output, "a summary: see report.txt"))
tested = re.search(r"(\d+) generated", output)
print(f"cases {tested[1] if tested else 0}", flush=True)
failures = dict(re.findall(r"❌ (?:ST\d+ )?([A-Z][^:\n]+): (\d+)$", output, re.M))
for name in {"Server error", "Response violates schema", *failures}:
    count = failures.get(name, "0")
    step(name, lambda count=count: expect(count == "0", f"none, not {count}: see report.txt"))
