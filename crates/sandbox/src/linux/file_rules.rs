//! File rules by Landlock: the program reads and executes what it was granted and writes where it was allowed to, and
//! everything else is refused whatever the permissions say. They also forbid it to signal processes outside. Landlock
//! does not cover `stat`, chmod and the like: for those see `root` and `seccomp`.

use super::{Why, grants::Grants, root::DEVICES};
use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope, make_bitflags, path_beneath_rules,
};
use std::path::PathBuf;

/// The newest rules that this program knows; an older kernel takes those it knows.
const NEWEST: ABI = ABI::V6;

/// Refuses everything else to this process and all that it starts.
pub(super) fn restrict(grants: &Grants, writable: &[PathBuf]) -> Result<(), Why> {
    match rules(grants, writable) {
        Ok(RulesetStatus::NotEnforced) => Err("this kernel has no Landlock".to_string()),
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

fn rules(grants: &Grants, writable: &[PathBuf]) -> Result<RulesetStatus, RulesetError> {
    let device = make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate});
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(grants.all(), AccessFs::from_read(NEWEST)))?
        .add_rules(path_beneath_rules(writable, AccessFs::from_all(NEWEST)))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .restrict_self()?;
    Ok(status.ruleset)
}
