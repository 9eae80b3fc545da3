/** Telling a receiver until it has what it is told: again and again, after longer and longer pauses. */

import { type Receiver, RefusedError, type Told } from "./receiver.js";

const FIRST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 30_000;
/** Messages and characters of one delivery; a longer message goes alone. */
export const MOST_MESSAGES = 500;
const MOST_CHARACTERS = 512 << 10;
const CLOSING_MS = 2_000;
/** Of what a receiver says of a failure. */
const MOST_REASON = 300;

interface DelivererOptions {
	readonly name: string;
	readonly receiver: Receiver;
	/** Waits so many ms, or until the signal. */
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly warn: (text: string) => void;
	readonly info: (text: string) => void;
}

export class Deliverer {
	errors = 0;
	sent = 0;
	/** Messages that the receiver will never take. */
	refused = 0;

	constructor(private readonly options: DelivererOptions) {}

	/** @returns whether all of it is acknowledged; false: the signal came first. @param where for the log */
	async deliver(told: readonly Told[], where: string, signal: AbortSignal): Promise<boolean> {
		for (const some of inParts(told)) {
			const result = await this.deliverPart(some, where, signal);
			if (result === "stopped") return false;
			if (result === "acknowledged") {
				this.sent += some.length;
				continue;
			}
			// One of them will never be taken: it must not hold up all that comes after it. It is found by halves.
			if (some.length === 1) {
				this.refused++;
				continue;
			}
			const middle = Math.ceil(some.length / 2);
			for (const half of [some.slice(0, middle), some.slice(middle)])
				if (!(await this.deliver(half, where, signal))) return false;
		}
		return true;
	}

	private async deliverPart(
		told: readonly Told[],
		where: string,
		signal: AbortSignal,
	): Promise<"acknowledged" | "refused" | "stopped"> {
		const { name, receiver, pause, warn, info } = this.options;
		let hasFailed = false;
		for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, MOST_PAUSE_MS)) {
			try {
				await unlessAborted(receiver.deliver(told, signal), signal);
				if (hasFailed) info(`events of ${name} go on at ${where}`);
				return "acknowledged";
			} catch (error) {
				if (signal.aborted) return "stopped";
				if (error instanceof RefusedError) {
					const [only] = told.length === 1 ? told : [];
					if (only)
						warn(`events of ${name}: ${only.id} is left out, since it is refused: ${reasonOf(error)}`);
					return "refused";
				}
				this.errors++;
				if (!hasFailed) warn(`events of ${name} wait at ${where}: ${reasonOf(error)}`);
				hasFailed = true;
			}
			await pause(pauseMs, signal);
		}
		return "stopped";
	}
}

/** Rejects with the signal: a receiver may take long to give up. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
	let stop = (): void => {};
	const aborted = new Promise<never>((_, reject) => {
		stop = () => reject(new Error("stopped"));
	});
	signal.addEventListener("abort", stop);
	try {
		await Promise.race([work, aborted]);
	} finally {
		signal.removeEventListener("abort", stop);
	}
}

/** Messages in the order in which they are, in parts that one delivery may have. */
function* inParts(told: readonly Told[]): Generator<readonly Told[]> {
	let part: Told[] = [];
	let characters = 0;
	for (const one of told) {
		const { length } = one.message.json;
		if (part.length >= MOST_MESSAGES || (part.length > 0 && characters + length > MOST_CHARACTERS)) {
			yield part;
			part = [];
			characters = 0;
		}
		part.push(one);
		characters += length;
	}
	if (part.length > 0) yield part;
}

/** Ends connections; one that hangs doesn't hold up the end of the node. */
export async function closeReceiver(receiver: Receiver, pause: DelivererOptions["pause"]): Promise<void> {
	const closing = receiver.close().catch(() => {});
	await Promise.race([closing, pause(CLOSING_MS, new AbortController().signal)]);
}

/** What went wrong as one line: a receiver's words may be anything. */
export function reasonOf(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
	return line.length > MOST_REASON ? `${line.slice(0, MOST_REASON)}…` : line;
}
