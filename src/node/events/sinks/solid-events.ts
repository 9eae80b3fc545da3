/**
 * What receivers with a stored position are told of a solidified block: always the same for the same block, so that
 * what comes twice can be recognised (protocol/events §6).
 */

import type { SignedBlock } from "../../../protocol/block.js";
import { transactionInfosOf } from "../../chain/block-store.js";
import type { EventConfig, EventKind } from "../../config/event-config.js";
import type { EventBudget } from "../event-budget.js";
import type { EventMessage } from "../event-kinds.js";
import { type EventChain, loadedBlock } from "../loaded-block.js";
import { EventSender, SOLID_LOGS } from "../sending.js";
import type { Work } from "../sliced-work.js";

/** The events of a block, of some kinds, in order: block, transactions, events and logs, and that it is solidified. */
export function* solidEvents(
	block: SignedBlock,
	chain: EventChain,
	config: EventConfig,
	kinds: ReadonlySet<EventKind>,
	budget: EventBudget,
): Work<readonly EventMessage[]> {
	const found: EventMessage[] = [];
	const plain = { redundancy: false, ethCompatible: false, solidified: true };
	const topics = new Map([...kinds].map((kind) => [kind, config.topics.get(kind) ?? plain]));
	// Internal transactions have data only in the run that executed them: version 1 doesn't tell them.
	const sender = new EventSender({ ...config, version: 1, topics }, (message) => found.push(message), budget);
	const loaded = loadedBlock(chain, { block, infos: transactionInfosOf(chain.state, block) }, block.number);
	if (sender.wants("block")) sender.block(loaded);
	if (sender.wants("transaction")) yield* sender.transactions(loaded);
	yield* sender.inOrder((yield* sender.logsOf(loaded)).triggers, SOLID_LOGS);
	if (sender.wants("solidity")) sender.solidified(block);
	return found;
}
