/** Backfills state history while a node runs, and reports progress to the operator. */

import { Backfill, type BackfillProgress } from "./backfill/backfill.js";
import { ChannelClosed } from "./backfill/messages.js";
import { hasReplay, removeReplay, replayScript, startReplay } from "./backfill/replay-thread.js";
import type { OpenChain } from "./chain/open-chain.js";
import type { NodeConfig } from "./config/config.js";
import type { NodeLog } from "./node-log.js";

/** Interval between progress lines. */
const LINE_MS = 60_000;

interface BackfillOptions {
	readonly open: OpenChain;
	readonly config: NodeConfig;
	readonly dataDirectory: string;
	readonly log: NodeLog;
	/** Receives errors that are bugs of this program. */
	readonly report: (error: unknown, where: string) => void;
}

/** A running backfill. */
export interface RunningBackfill {
	/** Undefined once it is done. */
	readonly progress: BackfillProgress | undefined;
	stop(): Promise<void>;
}

/** Whether there may be something to do, without loading what does it. */
export async function startBackfill(options: BackfillOptions): Promise<RunningBackfill | undefined> {
	const { open, config, dataDirectory } = options;
	const subject = open.backfillable();
	const script = replayScript();
	if (!subject || !script) {
		if (hasReplay(dataDirectory)) await removeReplay(dataDirectory);
		return undefined;
	}
	const target = subject.history.first;
	const thread = startReplay(script, config, dataDirectory, target);
	const backfill = new Backfill(subject, thread.channel, target);
	let isOver = false;
	options.log.info({ blocks: target }, "filling in the history of the state in the background");
	const lines = setInterval(() => {
		const { block } = backfill.progress;
		options.log.info({ block, of: target }, "filling in the history of the state");
	}, LINE_MS).unref();
	const run = async (): Promise<void> => {
		try {
			const isFilled = await backfill.run();
			if (isFilled) await open.flushNow();
			await thread.close();
			await removeReplay(dataDirectory);
			const outcome = isFilled
				? "the history of the state is filled in"
				: "the history of the state needs no filling in any more";
			options.log.info({ first: subject.history.first }, outcome);
		} catch (error) {
			if (isOver && error instanceof ChannelClosed) return;
			await thread.close();
			const reason = (thread.failure ?? (error as Error)).message;
			options.log.error(
				{ reason },
				"the history of the state can't be filled in; the next start tries again",
			);
		} finally {
			isOver = true;
			clearInterval(lines);
		}
	};
	const running = run().catch((error: unknown) => options.report(error, "filling in the history"));
	return {
		get progress() {
			return isOver ? undefined : backfill.progress;
		},
		stop: async () => {
			if (isOver) return;
			isOver = true;
			await thread.close();
			await running;
		},
	};
}
