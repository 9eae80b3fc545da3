/**
 * Parses functions, events and errors as people write them (protocol/wallet-formats §6): `transfer(address,uint256)`,
 * `get(uint256 id) view returns ((address owner, uint96 paid))`, `Transfer(address indexed from, address to)`.
 */

import {
	ABI_KINDS,
	type AbiItem,
	type AbiKind,
	type AbiParameter,
	isElementaryType,
} from "../../abi/parameter.js";
import { toNeutral } from "../../protocol/dialect.js";
import { Failure } from "../failure.js";

const MUTABILITY = new Set(["pure", "view", "payable", "nonpayable"]);
/** Solidity keywords that don't affect how a call is encoded. */
const PASSED_OVER = new Set(["external", "public", "virtual", "memory", "calldata", "storage"]);

/** Whether a text is a signature rather than a bare name. */
export function isSignature(text: string): boolean {
	return text.includes("(");
}

/**
 * Parses one item. A bare list of types, `(uint256,address)`, is a function without a name.
 * @param kind the kind of item, unless the text itself says it
 * @throws {Failure} `bad_value` with the position of the error
 */
export function parseSignature(text: string, kind: AbiKind = "function"): AbiItem {
	return new SignatureReader(text).item(kind);
}

class SignatureReader {
	private readonly tokens: readonly { readonly text: string; readonly at: number }[];
	private position = 0;

	constructor(private readonly text: string) {
		const tokens: { text: string; at: number }[] = [];
		const pattern = /[A-Za-z_$][\w$]*|\d+|\S/g;
		for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
			tokens.push({ text: match[0], at: match.index });
		}
		this.tokens = tokens;
	}

	item(given: AbiKind): AbiItem {
		const named = ABI_KINDS.find((kind) => kind === this.peek());
		const isWord = named !== undefined && (this.tokens[1]?.text !== "(" || named === "constructor");
		const kind = isWord ? named : given;
		if (isWord) this.position++;
		const name = this.peek() === "(" ? "" : this.word("a name");
		const inputs = this.parameters(kind === "event");
		let mutability: string | undefined;
		let anonymous = false;
		let outputs: AbiParameter[] | undefined;
		// Other tools write results as in get(uint256)(address).
		if (kind === "function" && this.peek() === "(") outputs = this.parameters(false);
		while (this.position < this.tokens.length && this.peek() !== ";") {
			const word = this.word("pure, view, payable or returns");
			if (MUTABILITY.has(word)) mutability = word;
			else if (word === "anonymous" && kind === "event") anonymous = true;
			else if (word === "returns" && kind === "function") outputs = this.parameters(false);
			else if (!PASSED_OVER.has(word)) throw this.fault(`"${word}" has no meaning here`, this.position - 1);
		}
		if (this.position < this.tokens.length - 1) throw this.fault("the signature has ended");
		return {
			kind,
			name,
			inputs,
			...(outputs ? { outputs } : {}),
			...(mutability === undefined ? {} : { mutability }),
			...(anonymous ? { anonymous } : {}),
		};
	}

	private parameters(mayBeIndexed: boolean): AbiParameter[] {
		this.expect("(");
		const list: AbiParameter[] = [];
		if (this.peek() === ")") {
			this.position++;
			return list;
		}
		for (;;) {
			list.push(this.parameter(mayBeIndexed));
			if (this.peek() === ")") break;
			this.expect(",");
		}
		this.position++;
		return list;
	}

	private parameter(mayBeIndexed: boolean): AbiParameter {
		const isTuple =
			this.peek() === "(" || (this.peek() === "tuple" && this.tokens[this.position + 1]?.text === "(");
		let components: AbiParameter[] | undefined;
		let base = "tuple";
		if (isTuple) {
			if (this.peek() === "tuple") this.position++;
			components = this.parameters(false);
		} else base = this.elementary();
		const type = base + this.brackets();
		let indexed = false;
		let name = "";
		while (this.peek() !== "," && this.peek() !== ")") {
			if (this.peek() === "") throw this.fault('")" is missing');
			const word = this.word("a parameter's name");
			if (word === "indexed" && mayBeIndexed) indexed = true;
			else if (word === "payable" && base === "address") continue;
			else if (!PASSED_OVER.has(word)) {
				if (name !== "") throw this.fault(`a comma is missing after "${name}"`, this.position - 1);
				name = word;
			}
		}
		return { name, type, ...(components ? { components } : {}), ...(indexed ? { indexed } : {}) };
	}

	private elementary(): string {
		const typed = this.word("a type");
		const neutral = toNeutral(typed);
		const type = neutral === "uint" || neutral === "int" ? `${neutral}256` : neutral;
		if (!isElementaryType(type)) throw this.fault(`"${typed}" is not a contract type`, this.position - 1);
		return type;
	}

	private brackets(): string {
		let text = "";
		while (this.peek() === "[") {
			this.position++;
			const length = /^\d+$/.test(this.peek()) ? (this.tokens[this.position++]?.text ?? "") : "";
			this.expect("]");
			text += `[${length}]`;
		}
		return text;
	}

	private peek(): string {
		return this.tokens[this.position]?.text ?? "";
	}

	private word(what: string): string {
		const text = this.peek();
		if (!/^[A-Za-z_$]/.test(text)) throw this.fault(`${what} is missing`);
		this.position++;
		return text;
	}

	private expect(text: string): void {
		if (this.peek() !== text) throw this.fault(`"${text}" is missing`);
		this.position++;
	}

	private fault(what: string, position = this.position): Failure {
		const at = this.tokens[position]?.at ?? this.text.length;
		return new Failure("bad_value", `the signature "${this.text}" can't be read: ${what}, at ${at + 1}`, {
			hint: "write it like transfer(address,uint256), or get(uint256 id) returns (address owner)",
		});
	}
}
