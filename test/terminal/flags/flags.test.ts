import { expect, test } from "vitest";
import { askingSameNode } from "../../../src/terminal/flags/flags.js";
import { Failure } from "../../../src/wallet/failure.js";

const WAIT = `coin tx wait ${"ab".repeat(32)}`;

test.each([
	[{ node: "http://127.0.0.1:18090" }, `${WAIT} --node http://127.0.0.1:18090 tells more`],
	[{ profile: "nile" }, `${WAIT} --profile nile tells more`],
	[{ node: "http://ann:secret@127.0.0.1" }, `${WAIT} tells more`],
	[{}, `${WAIT} tells more`],
])("a hint to wait for a transaction asks the node that was named: %j", (flags, hint) => {
	const failure = new Failure("wait_timeout", "", { hint: `${WAIT} tells more` });
	expect(askingSameNode(failure, flags).facts.hint).toBe(hint);
});

test("another hint stays as it is", () => {
	const failure = new Failure("usage", "", { hint: "see --help" });
	expect(askingSameNode(failure, { node: "http://127.0.0.1:1" }).facts.hint).toBe("see --help");
});
