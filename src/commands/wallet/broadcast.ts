import { Flags } from "@oclif/core";
import type { OutputKind } from "../../terminal/base/coin-command.js";
import { SendingCommand } from "../../terminal/base/sending-command.js";
import { callAbiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { waitFlags, yesFlag } from "../../terminal/flags/acting-flags.js";
import { nodeFlags } from "../../terminal/flags/flags.js";
import {
	forEachInput,
	readEnvelopes,
	streamFlags,
	transactionArgument,
} from "../../terminal/input/envelope-stream.js";
import { labelled, readLabels } from "../../wallet/configuration/labels.js";
import { Failure } from "../../wallet/failure.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { authorityAtNode, checkNotExpired } from "../../wallet/permission/authority.js";
import { permissionLabel } from "../../wallet/permission/permission.js";
import { type DescribedCall, describedCall } from "../../wallet/transaction/described-call.js";
import type { TransactionEnvelope } from "../../wallet/transaction/envelope.js";
import { summaryLines } from "../../wallet/transaction/envelope-note.js";
import { actsUnsigned, UNSIGNED_LINE } from "../../wallet/transaction/impersonation.js";

export default class WalletBroadcast extends SendingCommand {
	static override outputKind: OutputKind = "acts";
	static override summary = "Send a signed transaction";
	static override description =
		"Reads transactions from standard input or the argument, checks that their signatures reach the threshold, and sends their exact bytes.";
	static override examples = ["<%= config.bin %> wallet broadcast --wait < signed.json"];
	static override args = transactionArgument;
	static override flags = {
		...nodeFlags,
		...waitFlags,
		...yesFlag,
		...streamFlags,
		...callAbiFlag,
		force: Flags.boolean({ description: "leave the check of the weight to the node" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WalletBroadcast);
		const envelopes = await readEnvelopes(args.transaction);
		const settings = await this.settings(flags);
		const client = new NodeClient(settings);
		const given = await interfaceFlag(flags.abi);
		this.labels = await readLabels(settings);
		const fine = await forEachInput(
			envelopes,
			flags["keep-going"],
			this.json,
			async (envelope) => {
				this.call = await describedCall(envelope.transaction.parameter, { client, given });
				const lines = flags.force
					? summaryLines(envelope, { ...NOTHING_KNOWN, call: this.call })
					: await checkReady(envelope, client, this.call);
				const summary = lines.map((line) => labelled(line, this.labels));
				// What it moves was agreed to by those who signed it.
				await this.confirm(settings.confirm ? 1 : 0, summary, flags.yes);
				await this.sendAndReport(client, envelope, flags);
			},
			(failure) => this.explainInput(failure),
		);
		if (!fine) process.exitCode = 1;
	}
}

const NOTHING_KNOWN = { chain: undefined, permission: undefined, approval: undefined };

/** @throws {Failure} `threshold_not_reached`, `tx_expired`, `not_authorized`, `wrong_network` */
async function checkReady(
	envelope: TransactionEnvelope,
	client: NodeClient,
	call: DescribedCall | undefined,
): Promise<string[]> {
	// Its proofs say that it is allowed; there is nobody to sign it.
	if (envelope.owner.length === 0) return summaryLines(envelope, NOTHING_KNOWN);
	const authority = { ...(await authorityAtNode(envelope, client)), call };
	checkNotExpired(envelope, authority);
	const { approval, permission } = authority;
	if (!approval.ready) {
		const isBare = envelope.signers.length === 0;
		if (isBare && (await actsUnsigned(client, envelope.owner)))
			return [...summaryLines(envelope, authority), UNSIGNED_LINE];
		throw new Failure(
			"threshold_not_reached",
			`the signatures weigh ${approval.weight} of the ${permission.threshold} that ${permissionLabel(permission)} needs: ${approval.missing} is missing`,
			{ hint: "coin wallet approvals shows whose signatures are missing", txID: envelope.transaction.idHex },
		);
	}
	return summaryLines(envelope, authority);
}
