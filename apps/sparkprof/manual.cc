// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/text.h"
#include "base/version.h"
#include "command_tree.h"
#include "verb.h"

namespace sparkprof {
namespace {

// Escapes text for roff: backslashes, hyphens and quotes are special, dots only at the start of a line. Non-ASCII
// characters become numbers.
std::string Roff(std::string_view text) {
  std::string escaped;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const auto lead = static_cast<unsigned char>(c);
    if (lead >= 0xc0U) {
      const size_t more = lead >= 0xf0U ? 3 : lead >= 0xe0U ? 2 : 1;
      uint32_t code = lead & (0x3fU >> more);
      for (size_t rest = 1; rest <= more && at + rest < text.size(); ++rest) {
        code = code << 6U | (static_cast<unsigned char>(text[at + rest]) & 0x3fU);
      }
      at += more;
      escaped += fmt::format("\\[u{:04X}]", code);
      continue;
    }
    if (escaped.empty() && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if (c == '\'') {
      escaped += "\\(aq";
    } else if (c == '`') {
      escaped += "\\(ga";
    } else if (c == '^') {
      escaped += "\\(ha";
    } else if (c == '~') {
      escaped += "\\(ti";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Head(std::string_view page, std::string_view purpose) {
  std::string title = page == "sparkprof" ? "SPARKPROF" : fmt::format("SPARKPROF\\-{}", page.substr(10));
  for (char& c : title) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return fmt::format(".\\\" Written by `sparkprof manual`.\n.TH {} 1 \"\" \"{}\" \"sparkprof\"\n.SH NAME\n{} \\- {}\n",
                     title, NamedVersion(), Roff(page), Roff(purpose));
}

void AddOptionText(const OptionText& option, std::string* page) {
  *page += ".TP\n";
  std::string names;
  for (const std::string& name : option.short_names)
    names += fmt::format("{}\\fB\\-{}\\fR", names.empty() ? "" : ", ", Roff(name));
  for (const std::string& name : option.long_names) {
    names += fmt::format("{}\\fB\\-\\-{}\\fR", names.empty() ? "" : ", ", Roff(name));
  }
  if (!option.IsFlag()) names += fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", Roff(option.type));
  *page += fmt::format("{}\n{}.", names, Roff(option.purpose));
  if (!option.choices.empty()) {
    *page += " Values:";
    for (const std::string& choice : option.choices) {
      *page += fmt::format("{} {}", &choice == option.choices.data() ? "" : ",", Roff(choice));
    }
    *page += '.';
  }
  if (!option.standard.empty()) *page += fmt::format(" Default: {}.", Roff(option.standard));
  *page += '\n';
}

std::string PageOf(const CommandText& command) {
  std::string page = Head("sparkprof-" + command.name, command.purpose);
  page += fmt::format(".SH SYNOPSIS\n\\fBsparkprof {}\\fR [\\fIOPTIONS\\fR]", Roff(command.name));
  for (const OptionText& argument : command.arguments) {
    const std::string name =
        fmt::format("\\fI{}{}\\fR", Roff(argument.type), argument.is_repeated ? "\\ .\\|.\\|." : "");
    page += argument.is_required ? " " + name : fmt::format(" [{}]", name);
  }
  page += "\n.SH DESCRIPTION\n";
  page += fmt::format("{}.\n", Roff(command.purpose));
  for (const std::string& note : command.notes) page += fmt::format(".PP\n{}\n", Roff(note));
  if (!command.arguments.empty()) page += ".SH ARGUMENTS\n";
  for (const OptionText& argument : command.arguments) AddOptionText(argument, &page);
  page += ".SH OPTIONS\n";
  std::vector<std::string> groups;
  for (const OptionText& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  for (const std::string& title : groups) {
    if (groups.size() > 1) page += fmt::format(".SS {}\n", Roff(title));
    for (const OptionText& option : command.options) {
      if (option.group == title) AddOptionText(option, &page);
    }
  }
  if (!command.examples.empty()) {
    page += ".SH EXAMPLES\n";
    for (const std::string& example : command.examples)
      page += fmt::format(".PP\n.nf\n.RS\n{}\n.RE\n.fi\n", Roff(example));
  }
  page += ".SH EXIT STATUS\n";
  page += command.name == "run"
              ? "The exit code of the job.\n"
              : "0 on success, 1 if the answer is no or nothing was found, 2 for wrong usage or input that "
                "cannot be read.\n";
  return page + ".SH SEE ALSO\n.BR sparkprof (1)\n";
}

std::string MainPage(const std::vector<CommandText>& commands) {
  std::string page = Head("sparkprof", "profiler for Apache Spark");
  page +=
      ".SH SYNOPSIS\n\\fBsparkprof\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
      "Shows where the time and memory of a Spark job went, by job, stage and task.\n.SH COMMANDS\n";
  std::string group;
  for (const CommandText& command : commands) {
    if (command.group != group) page += fmt::format(".SS {}\n", Roff(command.group));
    group = command.group;
    page += fmt::format(".TP\n.BR sparkprof\\-{} (1)\n{}.\n", Roff(command.name), Roff(command.purpose));
  }
  page +=
      ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nIf it is not empty, output has no colors.\n.TP\n"
      "\\fBSPARKPROF_SERVER_TOKEN\\fR\nToken for a collector.\n";
  return page;
}

int WriteManual(const std::string& folder) {
  if (const Result<void> created = CreateFolders(folder); !created) return Complain(created.error().message);
  std::vector<CommandText> commands = DescribeCommands();
  std::erase_if(commands, [](const CommandText& command) { return command.group.empty(); });
  Result<void> written = WriteFile(folder + "/sparkprof.1", MainPage(commands));
  for (const CommandText& command : commands) {
    if (written) written = WriteFile(fmt::format("{}/sparkprof-{}.1", folder, command.name), PageOf(command));
  }
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineManual(CLI::App& command) {
  const auto folder = std::make_shared<std::string>();
  command.add_option("DIR", *folder, "Folder for sparkprof.1 and a page for each command")->required();
  command.footer(
      "Examples:\n"
      "  sparkprof manual ~/.local/share/man/man1");
  return [folder] { return WriteManual(*folder); };
}

}  // namespace sparkprof
