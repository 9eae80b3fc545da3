// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Small jobs of compiled code, each repeated.
contract Loops {
    mapping(uint256 => uint256) private _values;

    /// Calls this contract `rounds` times.
    function calls(uint256 rounds) external view returns (uint256 sum) {
        for (uint256 i = 0; i < rounds; i++) sum += this.double(i);
    }

    function double(uint256 value) external pure returns (uint256) {
        return value * 2;
    }

    /// Sorts `length` numbers in memory, by insertion.
    function sort(uint256 length) external pure returns (uint256) {
        uint256[] memory list = new uint256[](length);
        for (uint256 i = 0; i < length; i++) list[i] = (i * 7919) % 1009;
        for (uint256 i = 1; i < length; i++) {
            uint256 value = list[i];
            uint256 at = i;
            while (at > 0 && list[at - 1] > value) {
                list[at] = list[at - 1];
                at--;
            }
            list[at] = value;
        }
        return list[length / 2];
    }

    /// A chain of hashes.
    function hashes(uint256 rounds, bytes32 first) external pure returns (bytes32 hash) {
        hash = first;
        for (uint256 i = 0; i < rounds; i++) hash = keccak256(abi.encode(hash, i));
    }

    /// Adds to `rounds` entries of a mapping.
    function entries(uint256 rounds) external returns (uint256 sum) {
        for (uint256 i = 0; i < rounds; i++) {
            uint256 value = _values[i];
            sum += value;
            _values[i] = value + i + 1;
        }
    }
}
