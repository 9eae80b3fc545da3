/** Random transactions about accounts and coins. */

import { utf8 } from "../../../src/protocol/bytes.js";
import {
	AccountCreateContract,
	AccountPermissionUpdateContract,
	AccountUpdateContract,
	ClearABIContract,
	Key,
	Permission,
	PermissionPermissionType,
	SetAccountIdContract,
	TransferContract,
	UpdateEnergyLimitContract,
	UpdateSettingContract,
} from "../../../src/protocol/messages.js";
import type { Dice } from "./dice.js";
import { absentAddresses, holding, othersThan, ownersWhere } from "./facts.js";
import type { TransactionKind } from "./kinds.js";
import { addresses, contractAddress } from "./small-chain.js";

const COIN = Buffer.from("_");

export const accountKinds: readonly TransactionKind[] = [
	{
		type: "TransferContract",
		weight: 4,
		build: (state, owner, dice) =>
			TransferContract.create({
				owner_address: owner,
				to_address: dice.pick(othersThan(owner)) as Uint8Array,
				amount: dice.amount(holding(state, owner, COIN)),
			}),
	},
	{
		type: "AccountCreateContract",
		weight: 1,
		build: (state, owner, dice) =>
			AccountCreateContract.create({
				owner_address: owner,
				account_address: dice.prefer(absentAddresses(state), addresses) as Uint8Array,
			}),
	},
	{
		type: "AccountUpdateContract",
		weight: 1,
		owners: (state) => ownersWhere(state, (account) => account.account_name.length === 0),
		build: (_state, owner, dice) =>
			AccountUpdateContract.create({ owner_address: owner, account_name: utf8(`name ${dice.next(20)}`) }),
	},
	{
		type: "SetAccountIdContract",
		weight: 1,
		owners: (state) => ownersWhere(state, (account) => account.account_id.length === 0),
		build: (_state, owner, dice) =>
			SetAccountIdContract.create({
				owner_address: owner,
				account_id: utf8(`${dice.once(2) ? "Account" : "account"}-${dice.next(8)}`),
			}),
	},
	{
		type: "AccountPermissionUpdateContract",
		build: (state, owner, dice) => {
			const isWitness = state.account.get(owner)?.is_witness ?? false;
			return AccountPermissionUpdateContract.create({
				owner_address: owner,
				owner: permission(PermissionPermissionType.Owner, owner, dice, 3),
				witness:
					isWitness !== dice.once(12)
						? permission(PermissionPermissionType.Witness, owner, dice, 1)
						: undefined,
				actives: [
					permission(
						PermissionPermissionType.Active,
						owner,
						dice,
						2,
						state.properties.get("AVAILABLE_CONTRACT_TYPE"),
					),
				],
			});
		},
	},
	{
		type: "UpdateSettingContract",
		weight: 1,
		owners: () => addresses.slice(0, 1),
		build: (_state, owner, dice) =>
			UpdateSettingContract.create({
				owner_address: owner,
				contract_address: contractAddress,
				consume_user_resource_percent: BigInt(dice.next(102)),
			}),
	},
	{
		type: "UpdateEnergyLimitContract",
		weight: 1,
		owners: () => addresses.slice(0, 1),
		build: (_state, owner, dice) =>
			UpdateEnergyLimitContract.create({
				owner_address: owner,
				contract_address: contractAddress,
				origin_energy_limit: BigInt(dice.next(100)),
			}),
	},
	{
		type: "ClearABIContract",
		weight: 1,
		owners: () => addresses.slice(0, 1),
		build: (_state, owner) =>
			ClearABIContract.create({ owner_address: owner, contract_address: contractAddress }),
	},
];

/** A permission of some keys, the account's own one among them, whose threshold they reach. */
function permission(
	type: number,
	owner: Uint8Array,
	dice: Dice,
	maxKeys: number,
	operations: Uint8Array = new Uint8Array(0),
): Permission {
	const others = othersThan(owner);
	const count = dice.next(maxKeys);
	const start = dice.next(others.length);
	const keys = Array.from({ length: count }, (_, i) => others[(start + i) % others.length] as Uint8Array);
	const own =
		type === PermissionPermissionType.Witness && dice.once(3) ? (others[start] as Uint8Array) : owner;
	return Permission.create({
		type,
		permission_name: "p",
		threshold: BigInt(1 + dice.next(count + 1)),
		operations,
		keys: [...keys, own].map((address) => Key.create({ address, weight: 1n })),
	});
}
