/** The node as seen by one HTTP request. */

import type { Dialect } from "../../protocol/dialect.js";
import type { JsonLibrary } from "../../protocol/json/json-library.js";
import type { JsonStyle } from "../../protocol/json/message-writer.js";
import { budgetAddress } from "../listening/connection-gate.js";
import type { StateView } from "../state/view.js";
import { type Answers, plainStyle } from "./answers.js";
import type { Broadcaster } from "./broadcast.js";
import type { ApiContext, ApiNode, ServerKind } from "./context.js";
import type { HttpRequest } from "./plain-request.js";
import type { RequestInput } from "./request.js";

/** Shared by all requests to a server. */
export interface ServerContext {
	readonly server: ServerKind;
	readonly node: ApiNode;
	readonly broadcaster: Broadcaster;
	readonly dialect: Dialect;
	readonly answers: Answers;
	readonly postQuantum: boolean;
}

/** Created for every request, so kept as small as possible. */
export class HttpContext implements ApiContext {
	readonly server: ServerKind;
	readonly node: ApiNode;
	readonly broadcaster: Broadcaster;
	readonly state: StateView;
	readonly style: JsonStyle;

	constructor(
		common: ServerContext,
		private readonly request: HttpRequest,
		input: RequestInput,
		readonly signedOnly: boolean,
	) {
		this.server = common.server;
		this.node = common.node;
		this.broadcaster = common.broadcaster;
		this.state = common.node.view(common.server);
		this.style = new RequestStyle(common, input);
	}

	get client(): string | undefined {
		return budgetAddress(this.request.socket);
	}

	readonly isAbandoned = (): boolean => this.request.socket.destroyed;
}

/** `visible` is read lazily, since the request may be unreadable. */
class RequestStyle implements JsonStyle {
	readonly dialect: Dialect;
	readonly library: JsonLibrary;
	readonly postQuantum: boolean;
	readonly longsAsText: boolean;
	readonly countsNonces: boolean;

	constructor(
		{ dialect, answers, node, postQuantum }: ServerContext,
		private readonly input: RequestInput,
	) {
		this.dialect = dialect;
		this.library = answers.library;
		this.postQuantum = postQuantum;
		this.longsAsText = input.longsAsText;
		this.countsNonces = node.rules.development !== undefined;
	}

	get visible(): boolean {
		return this.input.visible;
	}
}

/** For a request of the full server without a style of its own: addresses and names in hex. */
export function plainContext(node: ApiNode, broadcaster: Broadcaster, { socket }: HttpRequest): ApiContext {
	return {
		server: "full",
		node,
		broadcaster,
		get state() {
			return node.view("full");
		},
		style: plainStyle(node.config),
		client: budgetAddress(socket),
		isAbandoned: () => socket.destroyed,
	};
}
