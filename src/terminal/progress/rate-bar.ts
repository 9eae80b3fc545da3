/** A progress bar with rates for long operations on blocks: on standard error, for people, or as JSON lines (protocol/command-line §4.1). */

import { Flags, type Interfaces } from "@oclif/core";
import { harmlessLine } from "../output/harmless-text.js";
import { printJsonNote } from "../output/output.js";
import { canDraw } from "./progress.js";

const REDRAW_MS = 200;
const JSON_MS = 500;

/** The progress of the operation. */
interface RateState {
	/** Fraction that is done, 0 to 1; undefined if the end isn't known. */
	readonly done: number | undefined;
	readonly block: bigint;
	readonly blocks: number;
	readonly transactions: number;
}

type ProgressMode = "bar" | "json" | "none";

/** Flag of commands that show a bar. */
export const rateFlag = {
	progress: Flags.option({
		options: ["bar", "json", "none"] as const,
		description: "form of the progress",
	})(),
};

/** The mode given by the flag; by default, a bar if a person is reading. @param chatty whether progress is wanted */
export function rateMode(
	{ progress }: Interfaces.InferredFlags<typeof rateFlag>,
	chatty: boolean,
): ProgressMode {
	return progress ?? (chatty && canDraw(process.stderr) ? "bar" : "none");
}

/** A bar that is drawn at most five times per second and erased at the end. */
export class RateBar {
	private bar: import("cli-progress").SingleBar | undefined;
	private readonly started = performance.now();
	private drawn = 0;

	private constructor(
		private readonly task: string,
		private readonly mode: ProgressMode,
	) {}

	/** @param endKnown whether the fraction is known; otherwise only rates are shown */
	static async open(task: string, mode: ProgressMode, endKnown: boolean): Promise<RateBar> {
		const bar = new RateBar(task, mode);
		if (mode === "bar") await bar.openBar(endKnown);
		return bar;
	}

	private async openBar(endKnown: boolean): Promise<void> {
		const { default: progress } = await import("cli-progress");
		this.bar = new progress.SingleBar({
			format: `${harmlessLine(this.task)}${endKnown ? " {bar} {share}" : ""}  block {block}  {blocksPerSecond} blocks/s  {transactionsPerSecond} tx/s`,
			stream: process.stderr,
			clearOnComplete: true,
			hideCursor: true,
			barsize: 24,
			barCompleteChar: "█",
			barIncompleteChar: "░",
			fps: 1000 / REDRAW_MS,
		});
		this.bar.start(1, 0, { share: "", block: "0", blocksPerSecond: "0", transactionsPerSecond: "0" });
	}

	update(state: RateState): void {
		const now = performance.now();
		if (this.mode === "none" || now - this.drawn < (this.mode === "json" ? JSON_MS : REDRAW_MS)) return;
		this.drawn = now;
		const seconds = (now - this.started) / 1000;
		const [blocks, transactions] = [state.blocks / seconds, state.transactions / seconds];
		if (this.mode === "json") {
			const eta = state.done ? `${Math.ceil((seconds / state.done) * (1 - state.done))}s` : undefined;
			printJsonNote({
				progress: { task: this.task, done: state.done, unit: "blocks", block: Number(state.block), eta },
			});
			return;
		}
		this.bar?.update(state.done ?? 0, {
			share: state.done === undefined ? "" : `${Math.floor(state.done * 100)}%`,
			block: state.block.toLocaleString("en"),
			blocksPerSecond: Math.round(blocks).toLocaleString("en"),
			transactionsPerSecond: Math.round(transactions).toLocaleString("en"),
		});
	}

	close(): void {
		this.bar?.stop();
	}

	/** Seconds since the start. */
	get seconds(): number {
		return (performance.now() - this.started) / 1000;
	}
}
