/** Transaction types of native tokens (protocol/tokens). */

import { isAddress } from "../../protocol/address.js";
import { asBuffer, equalBytes, fromUtf8, toHex } from "../../protocol/bytes.js";
import { toDeployed } from "../../protocol/dialect.js";
import { checkedAdd, checkedMul, checkedSub, MAX_INT64, wrap } from "../../protocol/int64.js";
import {
	Account,
	AccountFrozen,
	AccountType,
	AssetIssueContract,
	type ParticipateAssetIssueContract,
	type TransferAssetContract,
	type UnfreezeAssetContract,
	type UpdateAssetContract,
} from "../../protocol/messages.js";
import { quoting } from "../../protocol/quoting-message.js";
import { adjustBalance, newAccount, sinkFee } from "../resources/balance.js";
import { DAY_MS } from "../resources/stake.js";
import { ContractExecuteError, ContractValidateError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { addToken, holdsToken, takeToken, tokenBalance } from "../tokens/holdings.js";
import {
	checkTokenBandwidth,
	checkTokenTexts,
	findToken,
	issuedToken,
	isTokenName,
	namesByNumber,
	tokenBytes,
	tokenStore,
	tokenText,
	updateToken,
} from "../tokens/token-store.js";
import { executeArithmetic, validateArithmetic } from "./arithmetic.js";
import { type ContractContext, defineContract, halfSpaced, requireAccount, spaced } from "./contract.js";

/** The coin's own symbol, in lower case and deployed spelling, as the network compares it. */
const RESERVED_NAME = toDeployed("coin");
const MAX_PRECISION = 6;

/** AssetIssueContract (protocol/tokens §3): issues a token; an account can issue only one, ever. */
export const assetIssue = defineContract<AssetIssueContract>({
	type: "AssetIssueContract",

	validate({ state, forks, contract }) {
		const { properties } = state;
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid ownerAddress");
		if (!isTokenName(contract.name)) throw new ContractValidateError("Invalid assetName");
		if (namesByNumber(state)) {
			if (asBuffer(contract.name).toString("latin1").toLowerCase() === RESERVED_NAME) {
				throw new ContractValidateError("assetName can't be coin");
			}
			if (contract.precision < 0 || contract.precision > MAX_PRECISION) {
				throw new ContractValidateError("precision cannot exceed 6");
			}
		}
		if (contract.abbr.length > 0 && !isTokenName(contract.abbr)) {
			throw new ContractValidateError("Invalid abbreviation for token");
		}
		checkTokenTexts(contract.url, contract.description);
		checkSale(state, contract);
		if (!namesByNumber(state) && state.assetIssue.has(contract.name)) {
			throw new ContractValidateError("Token exists");
		}
		if (contract.total_supply <= 0n) throw new ContractValidateError("TotalSupply must greater than 0!");
		if (contract.coin_num <= 0) throw new ContractValidateError("CoinNum must greater than 0!");
		if (contract.num <= 0) throw new ContractValidateError("Num must greater than 0!");
		if (contract.public_free_asset_net_usage !== 0n) {
			throw new ContractValidateError("PublicFreeAssetNetUsage must be 0!");
		}
		if (contract.frozen_supply.length > properties.get("MAX_FROZEN_SUPPLY_NUMBER")) {
			throw new ContractValidateError("Frozen supply list length is too long");
		}
		checkTokenBandwidth(state, contract.free_asset_net_limit, contract.public_free_asset_net_limit);
		checkFrozenSupply({ state, forks }, contract);
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError("Account not exists");
		if (owner.asset_issued_name.length > 0) {
			throw new ContractValidateError("An account can only issue one asset");
		}
		if (owner.balance < properties.get("ASSET_ISSUE_FEE")) {
			throw new ContractValidateError("No enough balance for fee!");
		}
	},

	execute({ state, rules, contract }, result) {
		const { properties } = state;
		const fee = properties.get("ASSET_ISSUE_FEE");
		properties.add("TOKEN_ID_NUM", 1n);
		const id = properties.get("TOKEN_ID_NUM").toString();
		const byName = !namesByNumber(state);
		const token = AssetIssueContract.copy(contract);
		token.id = id;
		if (byName) {
			state.assetIssue.put(contract.name, token);
			const numbered = AssetIssueContract.copy(token);
			numbered.precision = 0;
			state.assetIssueV2.put(tokenBytes(id), numbered);
		} else {
			state.assetIssueV2.put(tokenBytes(id), token);
		}
		adjustBalance(state, contract.owner_address, -fee);
		sinkFee(state, rules, fee);

		const owner = Account.copy(state.account.existing(contract.owner_address));
		let remaining = contract.total_supply;
		for (const { frozen_amount } of contract.frozen_supply) remaining -= frozen_amount;
		if (byName) owner.asset = withNew(owner.asset, tokenText(contract.name), remaining);
		owner.asset_issued_name = contract.name;
		owner.asset_issued_ID = tokenBytes(id);
		owner.assetV2 = withNew(owner.assetV2, id, remaining);
		owner.frozen_supply = [
			...owner.frozen_supply,
			...contract.frozen_supply.map(({ frozen_amount, frozen_days }) =>
				AccountFrozen.create({
					frozen_balance: frozen_amount,
					expire_time: wrap(contract.start_time + wrap(frozen_days * DAY_MS)),
				}),
			),
		];
		state.account.put(contract.owner_address, owner);
		result.assetIssueID = id;
		result.fee = fee;
	},
});

/** Checks that the sale period is in the future. */
function checkSale(state: StateView, { start_time, end_time }: Readonly<AssetIssueContract>): void {
	if (start_time === 0n) throw new ContractValidateError("Start time should be not empty");
	if (end_time === 0n) throw new ContractValidateError("End time should be not empty");
	if (end_time <= start_time) {
		throw new ContractValidateError("End time should be greater than start time");
	}
	if (start_time <= state.properties.headTimestampMs) {
		throw new ContractValidateError("Start time should be greater than HeadBlockTime");
	}
}

function checkFrozenSupply(
	{ state, forks }: Pick<ContractContext, "state" | "forks">,
	contract: Readonly<AssetIssueContract>,
): void {
	const endsInTime = forks.upgradedTo("4.8.1");
	const minDays = state.properties.get("MIN_FROZEN_SUPPLY_TIME");
	const maxDays = state.properties.get("MAX_FROZEN_SUPPLY_TIME");
	let remaining = contract.total_supply;
	for (const { frozen_amount, frozen_days } of contract.frozen_supply) {
		if (frozen_amount <= 0n) throw new ContractValidateError("Frozen supply must be greater than 0!");
		if (frozen_amount > remaining) {
			throw new ContractValidateError("Frozen supply cannot exceed total supply");
		}
		if (frozen_days < minDays || frozen_days > maxDays) {
			throw new ContractValidateError(
				`frozenDuration must be less than ${maxDays} days and more than ${minDays} days`,
			);
		}
		if (endsInTime && contract.start_time + frozen_days * DAY_MS > MAX_INT64) {
			throw new ContractValidateError("Start time and frozen days would cause expire time overflow");
		}
		remaining -= frozen_amount;
	}
}

/** A copy of the map with one more entry; an existing entry is kept. */
function withNew(map: ReadonlyMap<string, bigint>, key: string, value: bigint): Map<string, bigint> {
	const copy = new Map(map);
	if (!copy.has(key)) copy.set(key, value);
	return copy;
}

/** TransferAssetContract (protocol/tokens §4): sends units of a token; the recipient is created if it doesn't exist. */
export const transferAsset = defineContract<TransferAssetContract>({
	type: "TransferAssetContract",
	parameterRefusal: spaced,

	validate({ state, contract }) {
		const { properties } = state;
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid ownerAddress");
		if (!isAddress(contract.to_address)) throw new ContractValidateError("Invalid toAddress");
		if (contract.amount <= 0n) throw new ContractValidateError("Amount must be greater than 0.");
		if (equalBytes(contract.owner_address, contract.to_address)) {
			throw new ContractValidateError("Cannot transfer asset to yourself.");
		}
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError("No owner account!");
		if (!findToken(state, contract.asset_name)) throw new ContractValidateError("No asset!");
		const balance = tokenBalance(state, owner, contract.asset_name) ?? 0n;
		if (balance <= 0n) throw new ContractValidateError("assetBalance must be greater than 0.");
		if (contract.amount > balance) throw new ContractValidateError("assetBalance is not sufficient.");
		const recipient = state.account.get(contract.to_address);
		if (!recipient) {
			if (owner.balance < properties.get("CREATE_NEW_ACCOUNT_FEE_IN_SYSTEM_CONTRACT")) {
				throw new ContractValidateError("Validate TransferAssetActuator error, insufficient fee.");
			}
			return;
		}
		if (recipient.type === AccountType.Contract && properties.on("FORBID_TRANSFER_TO_CONTRACT")) {
			throw new ContractValidateError("Cannot transfer asset to smartContract.");
		}
		const received = tokenBalance(state, recipient, contract.asset_name);
		if (received !== undefined) validateArithmetic(() => checkedAdd(received, contract.amount));
	},

	execute({ state, rules, contract }, result) {
		const creates = !state.account.has(contract.to_address);
		const fee = creates ? state.properties.get("CREATE_NEW_ACCOUNT_FEE_IN_SYSTEM_CONTRACT") : 0n;
		if (creates) {
			state.account.put(contract.to_address, newAccount(state, contract.to_address, AccountType.Normal));
		}
		const owner = Account.copy(state.account.existing(contract.owner_address));
		if (!takeToken(state, owner, contract.asset_name, contract.amount)) {
			throw new ContractExecuteError("reduceAssetAmount failed !");
		}
		state.account.put(contract.owner_address, owner);
		const recipient = Account.copy(state.account.existing(contract.to_address));
		executeArithmetic(() => addToken(state, recipient, contract.asset_name, contract.amount));
		state.account.put(contract.to_address, recipient);
		if (fee > 0n) {
			adjustBalance(state, contract.owner_address, -fee);
			sinkFee(state, rules, fee);
		}
		result.fee = fee;
	},
});

/** ParticipateAssetIssueContract (protocol/tokens §5): buys a token from its issuer at the issue price. */
export const participateAssetIssue = defineContract<ParticipateAssetIssueContract>({
	type: "ParticipateAssetIssueContract",

	validate({ state, contract }) {
		const { owner_address, to_address, asset_name, amount } = contract;
		if (!isAddress(owner_address)) throw new ContractValidateError("Invalid ownerAddress");
		if (!isAddress(to_address)) throw new ContractValidateError("Invalid toAddress");
		if (amount <= 0n) throw new ContractValidateError("Amount must greater than 0!");
		if (equalBytes(owner_address, to_address)) {
			throw new ContractValidateError("Cannot participate asset Issue yourself !");
		}
		const buyer = state.account.get(owner_address);
		if (!buyer) throw new ContractValidateError("Account does not exist!");
		if (buyer.balance < amount) throw new ContractValidateError("No enough balance !");
		const token = findToken(state, asset_name);
		if (!token) {
			const name = asset_name.length > 0 ? fromUtf8(asset_name) : "null";
			throw new ContractValidateError(quoting`No asset named ${name}`);
		}
		if (!equalBytes(to_address, token.owner_address)) {
			throw new ContractValidateError(`The asset is not issued by ${toHex(to_address)}`);
		}
		const now = state.properties.headTimestampMs;
		if (now >= token.end_time || now < token.start_time) {
			throw new ContractValidateError("No longer valid period!");
		}
		const bought = validateArithmetic(() => unitsFor(token, amount));
		if (bought <= 0n) throw new ContractValidateError("Can not process the exchange!");
		const issuer = state.account.get(to_address);
		if (!issuer) throw new ContractValidateError("To account does not exist!");
		if (!holdsToken(state, issuer, asset_name, bought)) {
			throw new ContractValidateError("Asset balance is not enough !");
		}
	},

	execute({ state, contract }, result) {
		const { owner_address, to_address, asset_name, amount } = contract;
		const token = findToken(state, asset_name) as Readonly<AssetIssueContract>;
		executeArithmetic(() => {
			const bought = unitsFor(token, amount);
			const buyer = Account.copy(state.account.existing(owner_address));
			buyer.balance = checkedSub(buyer.balance, amount);
			addToken(state, buyer, asset_name, bought);
			const issuer = Account.copy(state.account.existing(to_address));
			issuer.balance = checkedAdd(issuer.balance, amount);
			if (!takeToken(state, issuer, asset_name, bought)) {
				throw new ContractExecuteError("reduceAssetAmount failed !");
			}
			state.account.put(owner_address, buyer);
			state.account.put(to_address, issuer);
		});
		result.fee = 0n;
	},
});

/** Units of a token that an amount of sun buys; a remainder isn't refunded. @throws {OverflowError} */
function unitsFor(token: Readonly<AssetIssueContract>, amountSun: bigint): bigint {
	return checkedMul(amountSun, BigInt(token.num)) / BigInt(token.coin_num);
}

/** UnfreezeAssetContract (protocol/tokens §6): an issuer collects the part of the supply whose freeze has expired. */
export const unfreezeAsset = defineContract<UnfreezeAssetContract>({
	type: "UnfreezeAssetContract",
	parameterRefusal: spaced,

	validate({ state, contract }) {
		const owner = requireAccount(state, contract.owner_address, "does not exist");
		if (owner.frozen_supply.length === 0) throw new ContractValidateError("no frozen supply balance");
		if (issuedToken(state, owner).length === 0) {
			throw new ContractValidateError("this account has not issued any asset");
		}
		const now = state.properties.headTimestampMs;
		if (owner.frozen_supply.every(({ expire_time }) => expire_time > now)) {
			throw new ContractValidateError("It's not time to unfreeze asset supply");
		}
	},

	execute({ state, contract }, result) {
		const owner = Account.copy(state.account.existing(contract.owner_address));
		const now = state.properties.headTimestampMs;
		let unfrozen = 0n;
		for (const { frozen_balance, expire_time } of owner.frozen_supply) {
			if (expire_time <= now) unfrozen = wrap(unfrozen + frozen_balance);
		}
		owner.frozen_supply = owner.frozen_supply.filter(({ expire_time }) => expire_time > now);
		addToken(state, owner, issuedToken(state, owner), unfrozen);
		state.account.put(contract.owner_address, owner);
		result.fee = 0n;
	},
});

/** UpdateAssetContract (protocol/tokens §7): an issuer changes its token's texts and bandwidth limits. */
export const updateAsset = defineContract<UpdateAssetContract>({
	type: "UpdateAssetContract",
	parameterRefusal: halfSpaced,

	validate({ state, contract }) {
		if (!isAddress(contract.owner_address)) throw new ContractValidateError("Invalid ownerAddress");
		const owner = state.account.get(contract.owner_address);
		if (!owner) throw new ContractValidateError("Account does not exist");
		const token = issuedToken(state, owner);
		if (token.length === 0) throw new ContractValidateError("Account has not issued any asset");
		if (!tokenStore(state).has(token)) {
			const store = namesByNumber(state) ? "AssetIssueV2Store" : "AssetIssueStore";
			throw new ContractValidateError(`Asset is not existed in ${store}`);
		}
		checkTokenTexts(contract.url, contract.description);
		checkTokenBandwidth(state, contract.new_limit, contract.new_public_limit);
	},

	execute({ state, contract }, result) {
		const owner = state.account.existing(contract.owner_address);
		updateToken(state, issuedToken(state, owner), (token) => {
			const copy = AssetIssueContract.copy(token);
			copy.free_asset_net_limit = contract.new_limit;
			copy.public_free_asset_net_limit = contract.new_public_limit;
			copy.url = contract.url;
			copy.description = contract.description;
			return copy;
		});
		result.fee = 0n;
	},
});
