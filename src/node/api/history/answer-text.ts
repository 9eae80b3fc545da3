/** Answers of the history interface as JSON text: numbers of 64 bits as they are, and parts that are text already. */

/** JSON that was written elsewhere. */
export class WrittenJson {
	constructor(readonly text: string) {}
}

/** What an answer is made of; members that are undefined are left out. */
export type AnswerValue =
	| string
	| number
	| bigint
	| boolean
	| null
	| WrittenJson
	| readonly AnswerValue[]
	| { readonly [member: string]: AnswerValue | undefined };

export type AnswerRow = { readonly [member: string]: AnswerValue | undefined } | WrittenJson;

export function answerText(value: AnswerValue): string {
	if (typeof value === "bigint") return String(value);
	if (value instanceof WrittenJson) return value.text;
	if (value === null || typeof value !== "object") return JSON.stringify(value);
	if (Array.isArray(value)) return `[${value.map(answerText).join(",")}]`;
	const members = Object.entries(value as { readonly [member: string]: AnswerValue | undefined })
		.filter((entry): entry is [string, AnswerValue] => entry[1] !== undefined)
		.map(([name, member]) => `${JSON.stringify(name)}:${answerText(member)}`);
	return `{${members.join(",")}}`;
}
