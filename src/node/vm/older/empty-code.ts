/**
 * A creation without code before multi-signature, in release 4.8.0 (protocol/releases §2): the network's runtime met a null. It
 * says which one only where the creator was there before the transaction, and not from #26 on.
 */

import type { Older } from "../../rules/release.js";
import type { EmptyCode } from "../creation.js";
import { runtimeFailed } from "../vm-error.js";

const IS_NULL =
	'Cannot invoke "org.coin.core.vm.repository.Type.isDirty()" because the return value of "org.coin.core.vm.repository.Value.getType()" is null';

export const olderEmptyCode: Older<EmptyCode> = {
	"4.8.1": {},
	"4.8.0": {
		failure: ({ machine: { gates, base }, context }) =>
			gates.constantinople
				? runtimeFailed("java.lang.RuntimeException", "Unknown Exception")
				: runtimeFailed(
						"java.lang.NullPointerException",
						base.contract.has(context.address) ? IS_NULL : "Unknown Exception",
					),
	},
};
