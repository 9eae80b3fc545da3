/**
 * Built-in witness sets (protocol/inclusion-proof §3) by network: who was active at a block, and their
 * signing keys. They age: what they prove is that these witnesses signed.
 */

import { parseAddress } from "../address.js";
import { fromHex } from "../bytes.js";
import { PUBLIC_NETWORKS } from "../public-networks.js";
import type { WitnessSet } from "./witness-set.js";

/** A witness, and its signing key if that isn't its own. */
type Row = readonly [witness: string, key?: string];

/** From the maintenance cycle of block 79,729,237. */
const MAIN: readonly Row[] = [
	["TAAdjpNYfeJ2edcETNpad1QpQWJfyBdB9V"],
	["TAQpCTFeJvwdWf6MQZtXXkzWrTS9aymshb"],
	["TBsyKdNsCKNXLgvneeUJ3rbXgWSgk6paTM"],
	["TC6qGw3d6h25gjcM64KLuZn1cznNi5NR6t"],
	["TCZvvbn4SCVyNhCAt1L8Kp1qk5rtMiKdBB"],
	["TDpt9adA6QidL1B1sy3D8NC717C6L5JxFo"],
	["TGJBjL8wmRVyRStkghnhcVNYYgn6Yjno6X"],
	["TGyrSc9ZmTdbYziuk1SKEmdtCdETafewJ9", "TVbTHM4NsiZ6tGKKekoEriNoemeCdTf16n"],
	["TH7Fe1W8CcLeqN4LGfqX1R9EpsnrJBQJij"],
	["TJBtdYunmQkeK5KninwgcjuK1RPDhyUWBZ"],
	["TJvaAeFb8Lykt9RQcVyyTFN2iDvGMuyD4M"],
	["TKSXDA8HfE9E1y39RczVQ1ZascUEtaSToF", "TLNoB74L3fJGkKPUd9oNA1rW4nhamXVV1b"],
	["TLG2B6w4K18HSnje7udYvqMMdJYQ9uYxjJ"],
	["TLyqzVGLV1srkB7dToTAEqgDSfPtXRJZYH"],
	["TMafrJCuNoYq3mg9dDThfg7c9VP6enZN6j"],
	["TN2W4cc7a4dsYyTLiLMWa9m7jVpdLjGvYs", "TAwYNtREMVLrHWx8zAqvVZhbCE2S2oJpzs"],
	["TNeEwWHXLLUgEtfzTnYN8wtVenGxuMzZCE", "TEfBsbYm7f1GnMhftRWFn7Ct1Vw4jJVoAx"],
	["TQ4bh4nQknQp33vuf1mUAKu5M5TWW8cTAD"],
	["TQhuVjZtmp6k4fPmGZLr4wyXdziCVSPkEX", "TBd3CentvemaAugP4mjWhHqNNJvr1rSbsc"],
	["TQopP5GM68QoqLzpz8YReDfSoCMkvwcZYd"],
	["TQzd66b9EFVHJfZK5AmiVhBjtJvXGeSPPZ", "TS5HALgtmHTLnHQGGdzpiza7mPJDSUPvEZ"],
	["TSMC4YzUSfySfqKuFnJbYyU3W6PBebBk2E"],
	["TTMNxTmRpBZnjtUnohX84j25NLkTqDga7j"],
	["TTW663tQYJTTCtHh6DWKAfexRhPMf2DxQ1"],
	["TTcYhypP8m4phDhN6oRexz2174zAerjEWP"],
	["TTxrh32VJveqiYRwbLEX2wLTMFCfbpAUQj", "TXXvArisGf7YL9TfUbwYj5i16htm8ZjMUs"],
	["TVFKwzE8qeETLaZEHMx2tjEsdnujAgAWaA"],
];

/** The set of that name, if there is one. */
export function checkpointNamed(name: string): WitnessSet | undefined {
	if (name !== "main") return undefined;
	return {
		chain: fromHex(PUBLIC_NETWORKS.main.genesisId),
		block: fromHex("0000000004c092558a6198011981077d9b685c615980fb12b8a8452c4f3219d6"),
		witnesses: MAIN.map(([witness, key = witness]) => ({
			address: parseAddress(witness) as Uint8Array,
			key: parseAddress(key) as Uint8Array,
		})),
	};
}
