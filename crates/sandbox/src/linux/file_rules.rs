//! File rules by Landlock: the program may read and execute granted files and write in certain folders; the kernel
//! refuses all other access, whatever the permissions of the files. The rules also forbid signals to processes
//! outside the sandbox. Landlock does not cover `stat`, `chmod` and similar calls; see `root` and `seccomp` for
//! those.

use super::{Why, grants::Grants, root::DEVICES};
use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope, make_bitflags, path_beneath_rules,
};
use std::path::PathBuf;

/// The newest Landlock version to request; an older kernel applies the rules that it supports.
const NEWEST: ABI = ABI::V6;

/// Restricts this process and its future children to the granted files and the writable folders.
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
