/** What JSON-RPC did otherwise before release 4.8.2 (protocol/json-rpc §§2 to 10). */

import type { Older } from "../../../rules/release.js";
import type { RpcAnswers } from "../answers.js";
import { dataOf, revertText } from "../revert-reason.js";
import { INTERNAL, internal, RpcError } from "../rpc-error.js";
import { ZERO_NONCE } from "../values.js";
import { looseReaders } from "./loose-readers.js";
import { NestedEnvelope } from "./nested-envelope.js";

export const olderAnswers: Older<RpcAnswers> = {
	"4.8.1": {
		envelope: (limits) => new NestedEnvelope(limits),
		readers: looseReaders,
		objects: { transactionNonce: ZERO_NONCE, timesLogs: false },
		reverted: (output) => new RpcError(INTERNAL, revertText(output), dataOf(output)),
		unbuildable: internal,
		tooLong: (answer) => answer.page(413),
		dropsExpired: false,
		filterRange: () => {},
	},
	"4.8.0": {
		reverted: (output) => new RpcError(INTERNAL, revertText(output)),
		runtime: (major, minor) => `${major}.${minor}`,
	},
};
