//! Planners and beliefs as arguments: help and completions come from the library's tables of names.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use psmp::by_name::{BeliefName, Descriptor, PlannerName, PlannerSpec, ProposerName};
use psmp::by_name::{TreeName, ValidatorName};
use std::error::Error;
use std::ffi::OsStr;
use std::marker::PhantomData;
use std::str::FromStr;

/// Parses a name, and proposes those that there are to shells.
#[derive(Clone)]
pub struct Named<T>(Vec<(String, &'static str)>, PhantomData<fn() -> T>);

impl<T> TypedValueParser for Named<T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let by_name = StringValueParser::new().try_map(|name| name.parse::<T>());
        by_name.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = self.0.iter();
        let values = names.map(|(name, summary)| PossibleValue::new(name.clone()).help(*summary));
        Some(Box::new(values))
    }
}

fn rows<T>(table: &[Descriptor<T>]) -> Vec<(String, &'static str)> {
    let rows = table.iter();
    rows.map(|row| (row.name.to_owned(), row.summary)).collect()
}

fn on_roadmaps() -> Vec<(String, &'static str)> {
    let mut names = Vec::new();
    for proposer in ProposerName::TABLE {
        if proposer.what == ProposerName::LazySp {
            names.push((proposer.name.to_owned(), proposer.summary));
        }
        for belief in BeliefName::TABLE {
            names.push((format!("{}:{}", proposer.name, belief.name), belief.summary));
        }
    }
    names
}

/// Planners on a roadmap.
pub fn planners_on_roadmaps() -> Named<PlannerSpec> {
    Named(on_roadmaps(), PhantomData)
}

/// Planners of both kinds.
pub fn planners() -> Named<PlannerName> {
    let mut names = on_roadmaps();
    names.extend(rows(TreeName::TABLE));
    Named(names, PhantomData)
}

/// Beliefs.
pub fn beliefs() -> Named<BeliefName> {
    Named(rows(BeliefName::TABLE), PhantomData)
}

fn listed<T>(table: &[Descriptor<T>]) -> String {
    let lines = table.iter();
    let lines = lines.map(|row| format!("  {:<20} {}\n", row.name, row.summary));
    lines.collect()
}

/// What planners on a roadmap are, for help.
pub fn about_planners() -> String {
    format!(
        "Planners, as `PROPOSER[:BELIEF[:VALIDATOR]][:insured|:uninsured]`, separated by commas.\n\n\
         Proposers:\n{}\nBeliefs, or a probability such as 0.9:\n{}\nValidators:\n{}\n\
         Insured, a planner checks at most twice what LazySP would plus one path that was proposed, \
         which can be several times as long as the shortest, whatever its belief; ei is, unless it is \
         told to be uninsured, the others are if told to be insured.",
        listed(ProposerName::TABLE),
        listed(BeliefName::TABLE),
        listed(ValidatorName::TABLE)
    )
}

/// What beliefs are, for help.
pub fn about_beliefs() -> String {
    format!(
        "Beliefs, separated by commas; all that can be had in the dataset if not given.\n\n{}  {:<20} {}",
        listed(BeliefName::TABLE),
        "0.9",
        "every edge is free with this probability"
    )
}

/// What planners that grow trees are, for help.
pub fn about_planner() -> String {
    format!(
        "The planner, as `PROPOSER[:BELIEF[:VALIDATOR]][:insured|:uninsured]`, see `psmp bench --help`; \
         or one that plans in the map or for the arm without a roadmap:\n\n{}",
        listed(TreeName::TABLE)
    )
}
