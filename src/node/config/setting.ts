/** What one key of a configuration may hold, and what comes of it: a row of the table of settings. */

/** How a number outside of its range is met. */
type Bounds =
	| { readonly refuse: readonly [min: number, max: number] }
	/** It is moved to the nearer end. */
	| { readonly clamp: readonly [min: number, max: number] };

/** Types of values, as messages and pages name them. */
type SettingKind = "int" | "long" | "double" | "boolean" | "text" | "texts";

/** A key that the program acts on. */
export interface Setting<T> {
	readonly kind: SettingKind;
	/** What holds where the file has no such key; undefined: nothing does. */
	readonly absent: T;
	/** What pages say instead of a default that depends on the machine, or of one that is not a value. */
	readonly absentText?: string | undefined;
	readonly effect: string;
	readonly bounds?: Bounds | undefined;
	/** Whether its object can't be without it. */
	readonly isRequired?: boolean | undefined;
}

/** A key of files for the network's nodes that changes nothing here. Its presence brings a warning. */
export interface IdleSetting {
	/** Checked where it is there; undefined: anything may stand there. */
	readonly kind?: SettingKind | undefined;
	readonly bounds?: Bounds | undefined;
	/** Why it changes nothing. */
	readonly idle: string;
}

export type SettingRow = Setting<unknown> | IdleSetting;

interface More {
	readonly bounds?: Bounds;
	readonly absentText?: string;
}

export const int = (
	absent: number,
	effect: string,
	bounds?: Bounds,
	absentText?: string,
): Setting<number> => ({
	kind: "int",
	absent,
	effect,
	bounds,
	absentText,
});

export const port = (absent: number, effect: string): Setting<number> =>
	int(absent, effect, { refuse: [0, 65535] });

export const long = (absent: bigint, effect: string, more: More = {}): Setting<bigint> => ({
	kind: "long",
	absent,
	effect,
	...more,
});

export const double = (absent: number, effect: string): Setting<number> => ({
	kind: "double",
	absent,
	effect,
});

export const boolean = (absent: boolean, effect: string, absentText?: string): Setting<boolean> => ({
	kind: "boolean",
	absent,
	effect,
	absentText,
});

export const text = (absent: string, effect: string): Setting<string> => ({ kind: "text", absent, effect });

export const texts = (effect: string): Setting<readonly string[]> => ({
	kind: "texts",
	absent: [],
	effect,
	absentText: "",
});

/** A text that may be missing. */
export const optionalText = (effect: string): Setting<string | undefined> => ({
	kind: "text",
	absent: undefined,
	effect,
});

export const requiredText = (effect: string): Setting<string> => ({
	kind: "text",
	absent: "",
	effect,
	isRequired: true,
	absentText: "required",
});

export const requiredLong = (effect: string): Setting<bigint> => ({
	kind: "long",
	absent: 0n,
	effect,
	isRequired: true,
	absentText: "required",
});

export const idle = (reason: string, kind?: SettingKind, bounds?: Bounds): IdleSetting => ({
	idle: reason,
	kind,
	bounds,
});

export function isIdle(row: SettingRow): row is IdleSetting {
	return "idle" in row;
}
