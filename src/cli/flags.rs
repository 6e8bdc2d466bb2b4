//! Flags of the command line that set keys of the configuration.

use clap::ArgMatches;
use config::KEYS;
use std::collections::BTreeMap;

/// The values of flags by the keys that they set (`Key::flag`), of the program and of its commands.
pub(super) fn of(matches: &ArgMatches) -> BTreeMap<&'static str, String> {
    let mut values = BTreeMap::new();
    let mut level = Some(matches);
    while let Some(matches) = level {
        for key in KEYS.iter().filter(|key| !key.flag.is_empty()) {
            // Not every command takes each of them.
            let given = matches.try_get_one::<String>(&key.flag.replace('-', "_"));
            if let Ok(Some(value)) = given {
                values.insert(key.name, value.clone());
            }
        }
        level = matches.subcommand().map(|(_, matches)| matches);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::super::tests::read;
    use super::*;
    use clap::CommandFactory;

    /// Keys name their flags, commands name the flags that they take: each pair is followed from
    /// the command line to the key.
    #[test]
    fn every_flag_of_a_key_reaches_it_from_every_command_that_takes_it() {
        let root = Cli::command();
        for key in KEYS.iter().filter(|key| !key.flag.is_empty()) {
            let takes = |command: &clap::Command| {
                let mut arguments = command.get_arguments();
                arguments.any(|argument| argument.get_long() == Some(key.flag))
            };
            let global = takes(&root);
            let commands = root.get_subcommands();
            let commands: Vec<&str> = commands
                .filter(|command| match global {
                    // Every command takes it; these need nothing else.
                    true => ["serve", "migrate", "check", "openapi"].contains(&command.get_name()),
                    false => takes(command),
                })
                .map(clap::Command::get_name)
                .collect();
            assert!(!commands.is_empty(), "no command takes --{}", key.flag);
            for command in commands {
                let (_, flags) = read(&[command, &format!("--{}", key.flag), "given"]);
                let expected = BTreeMap::from([(key.name, "given".to_owned())]);
                assert_eq!(flags, expected, "{command} --{}", key.flag);
            }
        }
    }
}
