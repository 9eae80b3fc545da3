/** Table rows for commands that sign or send (`src/terminal/base/command-row.ts`). */

import { readFile } from "node:fs/promises";
import type { Command, Interfaces } from "@oclif/core";
import { toHex } from "../../protocol/bytes.js";
import type { Actor } from "../../wallet/actions/plan.js";
import { type Reference, readReference } from "../../wallet/transaction/reference.js";
import {
	type CommandContext,
	type CommandRow,
	command,
	type FlagsOf,
	type Terminal,
} from "../base/command-row.js";
import { type ActingFlags, actingFlags } from "../flags/acting-flags.js";
import { askingSameNode } from "../flags/flags.js";
import { readStdin } from "../input/stdin.js";
import { asFailure } from "../output/failure-report.js";
import { localTime } from "../output/output.js";
import { type ActingPlan, act, actorOf } from "./act.js";
import { closeSession, explained, openSession, type Session } from "./session.js";

interface SendingContext<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>
	extends CommandContext<A, F> {
	readonly session: Session;
}

/** Makes the class of a command that processes transactions. */
export function sending<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>({
	run,
	...words
}: CommandRow<A, F, SendingContext<A, F>>): Command.Class {
	return command<A, F>({
		...words,
		sends: true,
		run: async (context) => {
			const { flags, reference } = await withReference(context.flags);
			const session = openSession(context, reference);
			try {
				await run({ ...context, flags, session });
			} catch (error) {
				const { profile, node }: Partial<ActingFlags> = flags;
				throw askingSameNode(explained(session, asFailure(error)), { profile, node });
			} finally {
				await closeSession(session);
			}
		},
	});
}

/** Applies the contents of `--ref` in place of the equivalent flags. */
async function withReference<F extends object>(
	flags: F,
): Promise<{ readonly flags: F; readonly reference: Reference | undefined }> {
	const { ref, expires }: Partial<ActingFlags> = flags;
	if (ref === undefined) return { flags, reference: undefined };
	const text = ref === "-" ? await readStdin("the reference") : await readFile(ref, "utf8");
	const reference = readReference(text);
	const { number, id, expirationMs } = reference;
	return {
		flags: {
			...flags,
			offline: true,
			"ref-block": `${number}:${toHex(id)}`,
			expires: expires ?? `@${expirationMs}`,
		},
		reference,
	};
}

interface ActingContext<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>
	extends SendingContext<A, F> {
	readonly flags: FlagsOf<F> & ActingFlags;
	/** Fetches the acting account from the node; call it after all checks that need no node. */
	actor(): Promise<Actor>;
}

/** Returned instead of a plan if a transaction would change nothing: the command succeeds without it, so that scripts can be rerun. */
interface NothingToDo {
	/** The reason, as a clause. */
	readonly nothing: string;
	/** When there will be something to do, in epoch milliseconds. */
	readonly due?: bigint;
}

/**
 * Nothing to do before a time, so that a nightly job doesn't fail; undefined once the chain's clock is there.
 * @param due epoch milliseconds
 * @param action what can be done then
 */
export const nothingBefore = (due: bigint, headMs: bigint, action: string): NothingToDo | undefined =>
	headMs < due ? { nothing: `${action} from ${localTime(due)}`, due } : undefined;

export function nothingToDo({ print }: Pick<Terminal, "print">, reason: string, due?: bigint): void {
	print.record({ state: "nothing to do", reason, due }, [`nothing to do: ${reason}`]);
}

/** Whether a command ends by sending its transaction; one that is made for a pipe is made even if it would change nothing. */
export const sendsNow = ({ offline, build, sign }: ActingFlags): boolean => !offline && !build && !sign;

/** A command that makes one transaction: its declaration, and the transaction's plan. */
type ActingRow<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput> = Omit<
	CommandRow<A, F, never>,
	"run"
> & {
	plan(context: ActingContext<A, F>): Promise<ActingPlan | NothingToDo>;
};

/** Makes the class of a command that makes one transaction; it has {@link actingFlags} besides its own flags. */
export function acting<A extends Interfaces.ArgInput, F extends Interfaces.FlagInput>({
	plan,
	flags: own,
	...words
}: ActingRow<A, F>): Command.Class {
	return sending<A, F & typeof actingFlags>({
		outputKind: "acts",
		...words,
		flags: { ...actingFlags, ...own } as F & typeof actingFlags,
		run: async (context) => {
			const flags = context.flags as FlagsOf<F> & ActingFlags;
			let asked: Promise<Actor> | undefined;
			const actor = (): Promise<Actor> => {
				asked ??= actorOf(context.session, flags);
				return asked;
			};
			const planned = await plan({ ...context, flags, actor });
			if ("nothing" in planned) return nothingToDo(context, planned.nothing, planned.due);
			await act(context.session, await actor(), flags, planned);
		},
	});
}
