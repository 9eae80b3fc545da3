/** Random transactions about tokens. */

import { utf8 } from "../../../src/protocol/bytes.js";
import {
	AssetIssueContract,
	AssetIssueContractFrozenSupply,
	ParticipateAssetIssueContract,
	TransferAssetContract,
	UnfreezeAssetContract,
	UpdateAssetContract,
} from "../../../src/protocol/messages.js";
import {
	accounts,
	anyone,
	heldTokens,
	holding,
	othersThan,
	ownersWhere,
	tokenKey,
	tokenRecords,
	tokens,
} from "./facts.js";
import type { TransactionKind } from "./kinds.js";

const DAY_MS = 86_400_000n;
/** How long tokens are sold. */
const SALE_DAYS = 100n;

export const tokenKinds: readonly TransactionKind[] = [
	{
		type: "AssetIssueContract",
		weight: 5,
		owners: (state) => ownersWhere(state, (account) => account.asset_issued_name.length === 0),
		build: (state, owner, dice) => {
			const start = state.properties.headTimestampMs + 1n;
			const supply = BigInt([1, 1_000, 1_000_000, 5_000_000_000][3 - dice.next(4)] as number);
			const frozen = Array.from({ length: dice.next(3) }, () =>
				AssetIssueContractFrozenSupply.create({
					frozen_amount: dice.amount(supply / 3n) + 1n,
					frozen_days: BigInt(1 + dice.next(2)),
				}),
			);
			return AssetIssueContract.create({
				owner_address: owner,
				name: utf8(`Token${dice.next(12)}`),
				abbr: utf8("T"),
				total_supply: supply,
				frozen_supply: frozen,
				coin_num: 1 + dice.next(3),
				num: 1 + dice.next(5),
				precision: dice.next(7),
				start_time: start,
				end_time: start + SALE_DAYS * DAY_MS,
				free_asset_net_limit: BigInt(1_000 * dice.next(3)),
				public_free_asset_net_limit: BigInt(1_000 * dice.next(3)),
				url: utf8("url"),
			});
		},
	},
	{
		type: "TransferAssetContract",
		weight: 4,
		owners: (state) => ownersWhere(state, (account) => heldTokens(state, account.address).length > 0),
		build: (state, owner, dice) => {
			const token = dice.prefer(heldTokens(state, owner), tokens(state)) ?? utf8("1000001");
			return TransferAssetContract.create({
				owner_address: owner,
				to_address: dice.pick(othersThan(owner)) as Uint8Array,
				asset_name: token,
				amount: dice.amount(holding(state, owner, token)),
			});
		},
	},
	{
		type: "ParticipateAssetIssueContract",
		weight: 3,
		owners: (state) => (tokenRecords(state).length > 0 ? ownersWhere(state, anyone) : []),
		build: (state, owner, dice) => {
			const record = dice.pick(tokenRecords(state));
			const key = record ? tokenKey(state, record) : utf8("1000001");
			const issuer = record?.owner_address ?? owner;
			return ParticipateAssetIssueContract.create({
				owner_address: owner,
				to_address: issuer,
				asset_name: key,
				amount: dice.amount(holding(state, issuer, key) / 5n),
			});
		},
	},
	{
		type: "UnfreezeAssetContract",
		owners: (state) => ownersWhere(state, (account) => account.frozen_supply.length > 0),
		build: (_state, owner) => UnfreezeAssetContract.create({ owner_address: owner }),
	},
	{
		type: "UpdateAssetContract",
		owners: (state) =>
			accounts(state)
				.filter((account) => account.asset_issued_name.length > 0)
				.map((account) => account.address),
		build: (_state, owner, dice) =>
			UpdateAssetContract.create({
				owner_address: owner,
				url: utf8("other"),
				new_limit: BigInt(500 * dice.next(4)),
				new_public_limit: BigInt(500 * dice.next(4)),
			}),
	},
];
