// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A library of its own address, to be linked.
library Shares {
    function percentOf(uint256 part, uint256 whole) public pure returns (uint256 percent) {
        return whole == 0 ? 0 : (part * 100) / whole;
    }
}
