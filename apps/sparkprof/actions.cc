// SPDX-License-Identifier: Apache-2.0
#include "actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text/text.h"

namespace sparkprof {
namespace {

struct Action {
  std::string_view verb, name;
  std::string_view purpose;    // after "NAME: "
  std::string_view arguments;  // as in the usage: "[CHANGE…]"; empty = none
  std::string_view argument_purpose;
  std::string_view options;  // first long names, separated by blanks; --help always belongs to it
};

constexpr std::string_view kRuns = "Output folders of runs, or with --server their IDs";
constexpr std::string_view kCompareOptions = "measure significance junit markdown json server token-file ca-file";
constexpr std::string_view kTables = "Folder of the tables that analyze wrote";

// A command's rows are in the order in which its help lists them.
constexpr Action kActions[] = {
    {"suite", "run", "run the jobs of a suite, exit code 1 if one failed", "FILE", "The suite's YAML file",
     "output-dir junit markdown json server token-file ca-file"},
    {"suite", "compare", "compare two runs, the earlier one first", "EARLIER LATER", kRuns, kCompareOptions},
    {"suite", "check", "compare a run with a baseline, exit code 1 if a measure got worse or a job failed", "RUN",
     kRuns, "against measure significance junit markdown json server token-file ca-file"},
    {"suite", "import", "send the tables Runs, Log and ProcessMonitor of an older harness to a server", "FILE…",
     "CSV files", "server token-file ca-file"},

    {"fleet", "analyze", "read the event logs of many applications into tables", "LOCATION…",
     "Folders of event logs: local, hdfs://, s3a://, gs:// or abfss://",
     "output since until user queue name prices layout memory processes master conf plugin-jar share"},
    {"fleet", "report", "write a page about the tables", "FOLDER", kTables, "output prices share"},
    {"fleet", "check", "compare the tables with a policy, exit code 1 if a rule does not hold", "FOLDER", kTables,
     "policy output json share"},

    {"collector", "status", "sizes by group, state of the catalogue", "", "", "data store catalogue json"},
    {"collector", "verify", "read everything and compare, exit code 1 if there are problems", "", "",
     "data store catalogue json"},
    {"collector", "rebuild", "rebuild the catalogue", "", "", "data catalogue"},
    {"collector", "compact", "join the files of each ended application", "", "", "data"},
    {"collector", "export", "write the catalogue's tables", "", "", "data store catalogue parquet-dir"},
    {"collector", "move", "copy --data to --store", "", "", "data store"},
    {"collector", "configure", "print or change the settings of a group of jobs", "[CHANGE…]",
     "KEY=VALUE sets a setting, KEY= removes it; none: print the settings", "server token-file ca-file group json"},
};

// "run: run the jobs of a suite; compare: …"
std::string Texts(std::string_view verb) {
  std::string texts;
  for (const Action& action : kActions) {
    if (action.verb == verb) texts += fmt::format("{}{}: {}", texts.empty() ? "" : "; ", action.name, action.purpose);
  }
  return texts;
}

// The type of the argument with its values, as CLI11 writes them.
std::string TypeWithNames(std::string_view verb) {
  std::string names;
  for (const Action& action : kActions) {
    if (action.verb == verb) names += fmt::format("{}{}", names.empty() ? "" : ",", action.name);
  }
  return fmt::format("ACTION:{{{}}}", names);
}

OptionText ArgumentOf(const Action& action) {
  OptionText text;
  std::string_view usage = action.arguments;
  text.is_required = !usage.starts_with('[');
  if (!text.is_required) usage = usage.substr(1, usage.size() - 2);
  constexpr std::string_view kMore = "…";
  text.is_repeated = usage.ends_with(kMore);
  if (text.is_repeated) usage.remove_suffix(kMore.size());
  text.type = usage;
  text.purpose = action.argument_purpose;
  return text;
}

std::string Capitalized(std::string_view text) {
  std::string capitalized(text);
  if (!capitalized.empty() && capitalized[0] >= 'a' && capitalized[0] <= 'z')
    capitalized[0] = static_cast<char>(capitalized[0] - 'a' + 'A');
  return capitalized;
}

// "Output file; analyze: the folder of the tables; report: fleet.html by default" without the names and the clauses of
// other actions, and without "of status and verify", which lists the actions that have the option.
std::string PurposeIn(const Action& action, std::string_view purpose) {
  std::string kept;
  for (std::string_view clause : Split(purpose, ';')) {
    clause = Trim(clause);
    const Action* const named = std::find_if(std::begin(kActions), std::end(kActions), [&](const Action& one) {
      return one.verb == action.verb && clause.starts_with(fmt::format("{}: ", one.name));
    });
    if (named != std::end(kActions)) {
      if (named->name != action.name) continue;
      clause.remove_prefix(named->name.size() + 2);
    }
    if (clause.starts_with("of ")) continue;
    kept += (kept.empty() ? "" : "; ") + (kept.empty() ? Capitalized(clause) : std::string(clause));
  }
  return kept;
}

}  // namespace

void AddActionTo(CLI::App& command, std::string* action) {
  command.add_option("ACTION", *action, Texts(command.get_name()))
      ->type_name(TypeWithNames(command.get_name()))
      ->required();
}

std::optional<CommandText> DescribeAction(const CLI::App& command, const CommandText& text) {
  const CLI::Option* const argument = command.get_option_no_throw("ACTION");
  if (argument == nullptr || argument->results().empty()) return {};
  const std::string name = argument->results().front();
  const Action* const action = std::find_if(std::begin(kActions), std::end(kActions), [&](const Action& one) {
    return one.verb == text.name && one.name == name;
  });
  if (action == std::end(kActions)) return {};

  CommandText part;
  part.name = fmt::format("{} {}", text.name, action->name);
  part.purpose = Capitalized(action->purpose);
  if (!action->arguments.empty()) part.arguments.push_back(ArgumentOf(*action));
  const std::vector<std::string_view> wanted = Split(action->options, ' ');
  for (const OptionText& option : text.options) {
    const std::string& first = option.long_names.front();
    if (first != "help" && std::find(wanted.begin(), wanted.end(), first) == wanted.end()) continue;
    part.options.push_back(option);
    part.options.back().purpose = PurposeIn(*action, option.purpose);
  }
  part.notes = {fmt::format("`sparkprof {} --help` lists the other actions.", text.name)};
  const std::string call = fmt::format("sparkprof {} ", part.name);
  std::copy_if(text.examples.begin(), text.examples.end(), std::back_inserter(part.examples),
               [&](const std::string& example) { return example.starts_with(call); });
  return part;
}

}  // namespace sparkprof
