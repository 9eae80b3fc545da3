/** The commands on chain matters, run as a script would against one development chain. */

import { afterAll, beforeAll } from "vitest";
import { DevelopmentChain } from "./development-chain.js";
import { governanceTranscripts } from "./transcripts/governance.js";
import { messageTranscripts } from "./transcripts/message.js";
import { stakeTranscripts } from "./transcripts/stake.js";
import { tokenTranscripts } from "./transcripts/token.js";
import { tradeTranscripts } from "./transcripts/trade.js";
import { voteTranscripts } from "./transcripts/vote.js";

let running: DevelopmentChain;
beforeAll(async () => {
	running = await DevelopmentChain.start();
});
afterAll(() => running.stop());

const chain = (): DevelopmentChain => running;
stakeTranscripts(chain);
voteTranscripts(chain);
governanceTranscripts(chain);
tokenTranscripts(chain);
tradeTranscripts(chain);
messageTranscripts(chain);
