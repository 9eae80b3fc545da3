/** A row of the table of settings: what a configuration key may hold, and its effect. */

/** How an out-of-range number is handled. */
type Bounds =
	| { readonly refuse: readonly [min: number, max: number] }
	/** It is clamped. */
	| { readonly clamp: readonly [min: number, max: number] };

/** Types of values, as messages and pages name them. */
type SettingKind = "int" | "long" | "double" | "boolean" | "text" | "texts";

/** A key with an effect. */
export interface Setting<T> {
	readonly kind: SettingKind;
	/** The value if the file doesn't set the key; undefined: none. */
	readonly absent: T;
	/** Shown on pages instead of a default that depends on the machine or isn't a value. */
	readonly absentText?: string | undefined;
	readonly effect: string;
	readonly bounds?: Bounds | undefined;
	/** Whether its object requires it. */
	readonly isRequired?: boolean | undefined;
}

/** A key of the reference's files that has no effect here. Its presence causes a warning. */
export interface IdleSetting {
	/** Checked if present; undefined: anything is accepted. */
	readonly kind?: SettingKind | undefined;
	readonly bounds?: Bounds | undefined;
	/** Why it has no effect. */
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

/** An optional text. */
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
