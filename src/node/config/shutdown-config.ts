/** `node.shutdown`: when the node stops by itself (protocol/configuration §1.6). */

import type { Settings } from "./settings.js";

/** A field of a cron expression. */
interface Field {
	readonly name: string;
	readonly min: number;
	readonly max: number;
	readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
	{ name: "second", min: 0, max: 59 },
	{ name: "minute", min: 0, max: 59 },
	{ name: "hour", min: 0, max: 23 },
	{ name: "day of month", min: 1, max: 31 },
	{
		name: "month",
		min: 1,
		max: 12,
		names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
	},
	{ name: "day of week", min: 1, max: 7, names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] },
	{ name: "year", min: 1970, max: 2199 },
];

const DAY_OF_MONTH = 3;
const DAY_OF_WEEK = 5;
const SATURDAY = 7;
const SUNDAY = 1;

type Match = (date: Date) => boolean;

/**
 * Parses a cron expression of `node.shutdown.BlockTime` (protocol/configuration §1.6), in the machine's time
 * zone: second, minute, hour, day of month, month, day of week and optionally year. Days of week count from 1
 * = Sunday. A field is `*`, `?`, or a list of numbers or names, ranges `a-b` and steps `a/n`; `L` is a
 * month's last day, `nL` its last weekday n, `n#k` its k-th weekday n, `nW` the working day nearest to n.
 * @returns a test of a time in ms @throws {RangeError} naming the unreadable field
 */
export function parseCron(text: string): (timeMs: number) => boolean {
	const parts = text.trim().toUpperCase().split(/\s+/);
	if (parts.length < 6 || parts.length > 7) {
		throw new RangeError(`needs six or seven fields, not ${parts.length}`);
	}
	if ((parts[DAY_OF_MONTH] === "?") === (parts[DAY_OF_WEEK] === "?")) {
		throw new RangeError("needs '?' for exactly one of day of month and day of week");
	}
	const matches = parts.map((part, i) => parseField(part, i));
	return (timeMs) => {
		const date = new Date(timeMs);
		return matches.every((match) => match(date));
	};
}

function parseField(text: string, index: number): Match {
	const field = FIELDS[index] as Field;
	if (text === "?" && (index === DAY_OF_MONTH || index === DAY_OF_WEEK)) return () => true;
	const alternatives = text.split(",").map((item) => parseItem(item, index, field));
	return (date) => alternatives.some((match) => match(date));
}

function parseItem(item: string, index: number, field: Field): Match {
	const special =
		index === DAY_OF_MONTH ? dayOfMonth(item) : index === DAY_OF_WEEK ? dayOfWeek(item) : undefined;
	if (special !== undefined) return special;
	const [, range = "", step] = /^([^/]+)(?:\/(\d+))?$/.exec(item) ?? [];
	const [first = "", last] = range.split("-");
	const start = first === "*" ? field.min : number(first, field);
	let end = last === undefined ? start : number(last, field);
	if (first === "*" || (last === undefined && step !== undefined)) end = field.max;
	const every = step === undefined ? 1 : Number(step);
	if (start === undefined || end === undefined || every < 1 || range.split("-").length > 2) {
		throw new RangeError(`has the ${field.name} "${item}", which cannot be read`);
	}
	const wraps = end < start;
	const span = field.max - field.min + 1;
	return (date) => {
		const value = fieldOf(date, index);
		const offset = value - start + (wraps && value < start ? span : 0);
		return offset >= 0 && offset <= end - start + (wraps ? span : 0) && offset % every === 0;
	};
}

/** A number or name of a field; undefined if invalid or out of range. */
function number(text: string, field: Field): number | undefined {
	const named = field.names?.indexOf(text) ?? -1;
	if (named >= 0) return named + field.min;
	if (!/^\d+$/.test(text)) return undefined;
	const value = Number(text);
	return value >= field.min && value <= field.max ? value : undefined;
}

function fieldOf(date: Date, index: number): number {
	const values = [
		date.getSeconds(),
		date.getMinutes(),
		date.getHours(),
		date.getDate(),
		date.getMonth() + 1,
		date.getDay() + 1,
		date.getFullYear(),
	];
	return values[index] as number;
}

function dayOfMonth(item: string): Match | undefined {
	const [, back = "0", working] = /^L(?:-(\d+))?(W)?$/.exec(item) ?? [undefined, undefined];
	if (/^L(-\d+)?W?$/.test(item)) {
		return (date) => {
			const day = lastDay(date) - Number(back);
			return date.getDate() === (working === undefined ? day : nearestWorkingDay(date, day));
		};
	}
	const day = /^(\d+)W$/.exec(item)?.[1];
	if (day === undefined) return undefined;
	return (date) => date.getDate() === nearestWorkingDay(date, Number(day));
}

function dayOfWeek(item: string): Match | undefined {
	const field = FIELDS[DAY_OF_WEEK] as Field;
	if (item === "L") return (date) => date.getDay() + 1 === SATURDAY;
	const [, last, weekday, nth] = /^(?:(\w+)L|(\w+)#([1-5]))$/.exec(item) ?? [];
	const wanted = number(last ?? weekday ?? "", field);
	if (wanted === undefined) return undefined;
	return (date) => {
		if (date.getDay() + 1 !== wanted) return false;
		if (nth === undefined) return date.getDate() + 7 > lastDay(date);
		return Math.ceil(date.getDate() / 7) === Number(nth);
	};
}

function lastDay(date: Date): number {
	return new Date(date.getFullYear(), date.getMonth() + 1, 0).getDate();
}

/** The weekday (Monday to Friday) nearest to a day, within its month. */
function nearestWorkingDay(date: Date, day: number): number {
	const last = lastDay(date);
	const wanted = Math.min(day, last);
	const weekday = new Date(date.getFullYear(), date.getMonth(), wanted).getDay() + 1;
	if (weekday === SATURDAY) return wanted === 1 ? 3 : wanted - 1;
	if (weekday === SUNDAY) return wanted === last ? wanted - 2 : wanted + 1;
	return wanted;
}

export type ShutdownConfig =
	| { readonly at: "height"; readonly height: bigint }
	/** This many blocks above the head at the start. */
	| { readonly at: "count"; readonly count: bigint }
	/** The first block whose timestamp, in ms, satisfies the test. */
	| { readonly at: "time"; readonly reached: (timeMs: number) => boolean };

/** Reads `node.shutdown`; undefined if the node runs until it is stopped. @throws {ConfigError} */
export function readShutdown(settings: Settings): ShutdownConfig | undefined {
	const text = settings.get("node.shutdown.BlockTime").trim();
	const height = settings.get("node.shutdown.BlockHeight");
	const count = settings.get("node.shutdown.BlockCount");
	const reached = text === "" ? undefined : readTime(settings, text);
	const set = [
		...(text === "" ? [] : [`shutDownBlockTime ${text}`]),
		...(height < 0n ? [] : [`shutDownBlockHeight ${height}`]),
		...(count < 0n ? [] : [`shutDownBlockCount ${count}`]),
	];
	if (set.length > 1) throw settings.refuse("node.shutdown", `: ${set.join(" and ")} set both`);
	if (count === 0n)
		throw settings.refuse("node.shutdown.BlockCount", ": shutDownBlockCount 0 is less than 1");
	if (reached !== undefined) return { at: "time", reached };
	if (height >= 0n) return { at: "height", height };
	return count > 0n ? { at: "count", count } : undefined;
}

function readTime(settings: Settings, text: string): (timeMs: number) => boolean {
	try {
		return parseCron(text);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		throw settings.refuse("node.shutdown.BlockTime", `= "${text}" ${error.message}`);
	}
}
