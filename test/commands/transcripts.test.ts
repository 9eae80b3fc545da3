/**
 * The commands on chain matters, run as a script would against development chains: a chain for each group of topics,
 * the groups side by side, the topics of a group in order.
 */

import { afterAll, beforeAll, describe } from "vitest";
import { DevelopmentChain } from "./development-chain.js";
import { accountTranscripts } from "./transcripts/account.js";
import { governanceTranscripts } from "./transcripts/governance.js";
import { grpcTranscripts } from "./transcripts/grpc.js";
import { messageTranscripts } from "./transcripts/message.js";
import { resultShapeTranscripts } from "./transcripts/result-shapes.js";
import { stakeTranscripts } from "./transcripts/stake.js";
import { streamTranscripts } from "./transcripts/stream.js";
import { tokenTranscripts } from "./transcripts/token.js";
import { tradeTranscripts } from "./transcripts/trade.js";
import { voteTranscripts } from "./transcripts/vote.js";

type Topic = (chain: () => DevelopmentChain) => void;

const GROUPS: Readonly<Record<string, readonly Topic[]>> = {
	accounts: [accountTranscripts, grpcTranscripts, streamTranscripts],
	stakes: [stakeTranscripts],
	votes: [voteTranscripts, governanceTranscripts, resultShapeTranscripts],
	tokens: [tokenTranscripts, tradeTranscripts, messageTranscripts],
};

describe.concurrent.each(Object.entries(GROUPS))("on a chain for %s", (_, topics) => {
	describe.sequential("one after another", () => {
		let running: DevelopmentChain;
		beforeAll(async () => {
			running = await DevelopmentChain.start();
		});
		afterAll(() => running.stop());
		for (const topic of topics) topic(() => running);
	});
});
