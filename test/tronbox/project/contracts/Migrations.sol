// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Remembers which migrations a chain has had.
contract Migrations {
    address private immutable keeper = msg.sender;
    uint256 public last_completed_migration;

    function setCompleted(uint256 completed) external {
        require(msg.sender == keeper, "not yours");
        last_completed_migration = completed;
    }
}
