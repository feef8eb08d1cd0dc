// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "analysis/costs/price_list.h"
#include "base/result.h"
#include "loader/source_files.h"
#include "model/application.h"

namespace sparkprof {

// Options that several commands share.

// Adds --prices FILE, with the default from SPARKPROF_PRICES: costs of cores and memory.
void AddPricesTo(CLI::App& command, std::string* path);

// The price list; nullopt without a path.
Result<std::optional<PriceList>> ReadPrices(const std::string& path);

// Adds --share: who may read the command's output (base/io/private_file.h).
void AddShareTo(CLI::App& command);

// Adds --source: folder with a job's source code, for its report.
void AddSourceTo(CLI::App& command, std::string* folder);

// The redacted source files of the application's frames below `folder`; none for an empty folder.
Result<SourceFiles> SourcesOf(const Application& application, const std::string& folder);

inline constexpr const char* kPluginJarPurpose =
    "The Spark plugin's jar, which holds async-profiler (default: the one installed with sparkprof)";

}  // namespace sparkprof
