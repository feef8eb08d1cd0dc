// SPDX-License-Identifier: Apache-2.0
#include "inputs/shared_options.h"

#include <utility>

#include "base/io/byte_source.h"
#include "base/io/private_file.h"
#include "model/redaction/own_redaction.h"
#include "verb.h"

namespace sparkprof {

void AddPricesTo(CLI::App& command, std::string* path) {
  AddOption(command, "--prices FILE", path, "JSON file with the prices of a core-hour and a GB-hour, or of a machine")
      ->envname("SPARKPROF_PRICES");
}

Result<std::optional<PriceList>> ReadPrices(const std::string& path) {
  if (path.empty()) return std::nullopt;
  constexpr size_t kMaxBytes = size_t{1} << 20;
  const Result<std::string> content = ReadAll(path, kMaxBytes);
  if (!content) return tl::unexpected(content.error());
  Result<PriceList> prices = ParsePriceList(*content, path);
  if (!prices) return tl::unexpected(prices.error());
  return std::optional(std::move(*prices));
}

void AddShareTo(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--share", [](const std::string& word) { SetSharing(ParseSharing(word).value_or(Sharing::kPrivate)); },
          "Who may read the files written; private (only you), group or all (default: private)")
      ->check(CLI::IsMember({"private", "group", "all"}))
      ->type_name("WHO");
}

void AddSourceTo(CLI::App& command, std::string* folder) {
  AddOption(command, "--source DIR", folder,
            "Folder with the source code of the job: the report shows the lines of sampled functions and contains "
            "their files")
      ->check(CLI::ExistingDirectory);
}

Result<SourceFiles> SourcesOf(const Application& application, const std::string& folder) {
  if (folder.empty()) return SourceFiles();
  OwnRedaction redaction;
  redaction.ReadStrings(application);
  return FindSources(application.profile, folder, [&](std::string_view text) { return redaction.Text(text); });
}

}  // namespace sparkprof
