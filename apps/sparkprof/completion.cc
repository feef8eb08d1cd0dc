// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_writer.h"
#include "capture/recording_options.h"
#include "command_tree.h"
#include "verb.h"

namespace sparkprof {
namespace {

// Quotes text for sh, zsh and, with its own backslash, fish.
std::string Quoted(std::string_view text, std::string_view quote) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += quote;
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string ShQuoted(std::string_view text) { return Quoted(text, R"('\'')"); }

// Escapes colons and brackets, which separate parts in specifications of zsh's _arguments.
std::string ZshText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string FishQuoted(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') escaped += '\\';
    escaped += c;
  }
  return Quoted(escaped, R"(\')");
}

// Short descriptions: the first clause of the purpose.
std::string_view FirstClause(std::string_view purpose) { return purpose.substr(0, purpose.find_first_of(";(")); }

std::vector<std::string> NamesOfOption(const OptionText& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.long_names) names.push_back("--" + name);
  for (const std::string& name : option.short_names) names.push_back("-" + name);
  return names;
}

std::vector<CommandText> ShownCommands() {
  std::vector<CommandText> commands = DescribeCommands();
  std::erase_if(commands, [](const CommandText& command) { return command.group.empty(); });
  return commands;
}

// Values for a command's first argument, such as table names.
std::vector<std::string> FirstWords(const CommandText& command) {
  return command.arguments.empty() ? std::vector<std::string>() : command.arguments.front().Values();
}

std::string InWords(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// Completes option names and values, else files. Works with and without the package bash-completion.
std::string BashScript(const std::vector<CommandText>& commands) {
  std::string names, options, values, words;
  for (const CommandText& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    std::vector<std::string> all;
    if (const std::vector<std::string> first = FirstWords(command); !first.empty())
      words += fmt::format("    {}:2) _sparkprof_words {}; return ;;\n", command.name, ShQuoted(InWords(first)));
    for (const OptionText& option : command.options) {
      const std::vector<std::string> own = NamesOfOption(option);
      all.insert(all.end(), own.begin(), own.end());
      if (option.IsFlag()) continue;
      if (const std::vector<std::string> known = option.Values(); !known.empty()) {
        values += fmt::format("    {0}:{1}) _sparkprof_{2} {3}; return ;;\n", command.name,
                              fmt::join(own, "|" + command.name + ":"), option.IsList() ? "list" : "words",
                              ShQuoted(InWords(known)));
      } else if (option.NamesFolder()) {
        values += fmt::format("    {0}:{1}) _sparkprof_files -d; return ;;\n", command.name,
                              fmt::join(own, "|" + command.name + ":"));
      } else if (!option.NamesFile()) {
        values += fmt::format("    {0}:{1}) return ;;\n", command.name, fmt::join(own, "|" + command.name + ":"));
      }
    }
    options += fmt::format("    {}) options={} ;;\n", command.name, ShQuoted(InWords(all)));
  }
  return fmt::format(R"(# bash completion of sparkprof, made by `sparkprof completion bash`
_sparkprof_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$@" -- "$word")
}}
_sparkprof_words() {{
  COMPREPLY=($(compgen -W "$1" -- "$word"))
}}
_sparkprof_list() {{ # the last of several, separated by commas
  local last="${{word##*,}}"
  COMPREPLY=($(compgen -P "${{word%"$last"}}" -W "$1" -- "$last"))
}}

_sparkprof() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" verb="${{COMP_WORDS[1]}}" options="" at
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  if [ "$verb" = run ]; then
    # Behind --, the job's own command is completed.
    for ((at = 2; at < COMP_CWORD; ++at)); do
      if [ "${{COMP_WORDS[at]}}" = -- ]; then
        if declare -F _command_offset >/dev/null; then _command_offset $((at + 1)); else _sparkprof_files -f; fi
        return
      fi
    done
  fi
  case "$verb:$before" in
{}  esac
  case "$verb" in
{}    *) return ;;
  esac
  case "$word" in
    -*) _sparkprof_words "$options"; return ;;
  esac
  case "$verb:$COMP_CWORD" in
{}  esac
  _sparkprof_files -f
}}
complete -F _sparkprof sparkprof
)",
                     names, values, options, words);
}

std::string ZshAction(const OptionText& option) {
  if (const std::vector<std::string> values = option.Values(); !values.empty()) {
    return fmt::format(fmt::runtime(option.IsList() ? "_values -s , {1} {0}" : "({0})"), InWords(values), option.type);
  }
  if (option.NamesFolder()) return "_files -/";
  return option.NamesFile() ? "_files" : " ";
}

std::string ZshScript(const std::vector<CommandText>& commands) {
  std::string verbs, cases;
  for (const CommandText& command : commands) {
    verbs += fmt::format("    {}\n", ShQuoted(fmt::format("{}:{}", command.name, ZshText(command.purpose))));
    std::string specs;
    for (const OptionText& option : command.options) {
      const std::vector<std::string> names = NamesOfOption(option);
      const std::string repeat = option.is_repeated ? "*" : fmt::format("({})", fmt::join(names, " "));
      for (const std::string& name : names) {
        std::string spec = fmt::format("{}{}[{}]", repeat, name, ZshText(Trim(FirstClause(option.purpose))));
        if (!option.IsFlag()) spec += fmt::format(":{}:{}", ZshText(option.type), ZshAction(option));
        specs += fmt::format(" \\\n        {}", ShQuoted(spec));
      }
    }
    if (command.name == "run") {
      specs += " \\\n        '(-)1:command: _command_names -e' \\\n        '*::arguments: _normal'";
    } else if (!command.arguments.empty()) {
      const OptionText& last = command.arguments.back();
      if (const std::vector<std::string> first = FirstWords(command); !first.empty())
        specs +=
            fmt::format(" \\\n        {}",
                        ShQuoted(fmt::format("1:{}:({})", ZshText(command.arguments.front().type), InWords(first))));
      specs += fmt::format(" \\\n        {}", ShQuoted(fmt::format("*:{}:_files", ZshText(last.type))));
    }
    cases += fmt::format("    {})\n      _arguments -s -S{}\n      ;;\n", command.name, specs);
  }
  return fmt::format(R"(#compdef sparkprof
# zsh completion of sparkprof, made by `sparkprof completion zsh`
_sparkprof() {{
  local -a verbs
  verbs=(
{}  )
  if ((CURRENT == 2)); then
    _describe -t commands command verbs
    return
  fi
  local verb="$words[2]"
  shift words
  ((CURRENT--))
  case "$verb" in
{}  esac
}}
if [ "$funcstack[1]" = _sparkprof ]; then
  _sparkprof "$@"
else
  compdef _sparkprof sparkprof
fi
)",
                     verbs, cases);
}

std::string FishScript(const std::vector<CommandText>& commands) {
  std::string script =
      "# fish completion of sparkprof, made by `sparkprof completion fish`\n"
      "complete -c sparkprof -n __fish_use_subcommand -f -l help -d 'Print the help'\n"
      "complete -c sparkprof -n __fish_use_subcommand -f -l version -d 'Print the version'\n";
  for (const CommandText& command : commands) {
    script += fmt::format("complete -c sparkprof -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                          FishQuoted(command.purpose));
  }
  for (const CommandText& command : commands) {
    if (const std::vector<std::string> first = FirstWords(command); !first.empty()) {
      script += fmt::format(
          "complete -c sparkprof -n '__fish_seen_subcommand_from {}; and test (count (commandline -opc)) -eq 2' -f -a "
          "{}\n",
          command.name, FishQuoted(InWords(first)));
    }
    for (const OptionText& option : command.options) {
      script += fmt::format("complete -c sparkprof -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : option.short_names) script += " -s " + name;
      for (const std::string& name : option.long_names) script += " -l " + name;
      if (const std::vector<std::string> values = option.Values(); !values.empty()) {
        script += fmt::format(" -x -a {}", FishQuoted(InWords(values)));
      } else if (option.NamesFolder()) {
        script += " -x -a '(__fish_complete_directories)'";
      } else if (!option.IsFlag()) {
        script += option.NamesFile() ? " -r" : " -x";
      }
      script += fmt::format(" -d {}\n", FishQuoted(Trim(FirstClause(option.purpose))));
    }
  }
  return script;
}

// All commands and options, for tools and for the test that no option has two meanings.
std::string CommandsJson(const std::vector<CommandText>& commands) {
  JsonWriter json;
  const auto options = [&](std::string_view key, const std::vector<OptionText>& all) {
    json.Key(key).BeginArray();
    for (const OptionText& option : all) {
      json.BeginObject();
      json.Member("names", NamesOfOption(option));
      json.Member("type", option.type).Member("purpose", option.purpose).Member("default", option.standard);
      json.Member("required", option.is_required).Member("repeated", option.is_repeated);
      json.Member("choices", option.choices);
      json.EndObject();
    }
    json.EndArray();
  };
  json.BeginArray();
  for (const CommandText& command : commands) {
    json.BeginObject().Member("name", command.name).Member("group", command.group);
    json.Member("purpose", command.purpose);
    options("arguments", command.arguments);
    options("options", command.options);
    json.Member("examples", command.examples);
    json.EndObject();
  }
  return json.EndArray().Take() + "\n";
}

}  // namespace

std::function<int()> DefineCompletion(CLI::App& command) {
  const auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "The shell; json lists all commands and options for other tools")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "json"}));
  command.footer(
      "The script completes commands, options, and values of options.\n"
      "Examples:\n"
      "  source <(sparkprof completion bash)\n"
      "  sparkprof completion bash > ~/.local/share/bash-completion/completions/sparkprof\n"
      "  sparkprof completion zsh > \"${fpath[1]}/_sparkprof\"\n"
      "  sparkprof completion fish > ~/.config/fish/completions/sparkprof.fish");
  return [shell] {
    const std::vector<CommandText> commands = ShownCommands();
    const std::string text = *shell == "bash"   ? BashScript(commands)
                             : *shell == "zsh"  ? ZshScript(commands)
                             : *shell == "fish" ? FishScript(commands)
                                                : CommandsJson(commands);
    const Result<void> written = WriteOutput("-", text);
    return written ? kExitSuccess : Complain(written.error().message);
  };
}

}  // namespace sparkprof
