/** That every file of the facts is held by a test. */

import { expect, it } from "vitest";
import { factFiles } from "./facts.js";

/** What the tests of this folder read. */
const HELD = [
	/^blocks\/[^/]+$/,
	/^contracts\/[^/]+$/,
	/^(headers|inclusion|transactions)\.json\.br$/,
	/^numeric\/(walks|walks-of-addresses|concurrent-walks)\.json\.br$/,
	/^numeric\/(energy|exchange-power|note-tree|output-proof|proposals)\.json$/,
];

it("no file is left out", () => {
	const files = factFiles();
	expect(files.length).toBeGreaterThan(10);
	expect(files.filter((name) => !HELD.some((held) => held.test(name)))).toEqual([]);
});
