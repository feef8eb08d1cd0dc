// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace sparkprof {

// Opens the catalogue for --catalogue: a DuckDB file, or "clickhouse://HOST:PORT[,HOST:PORT…]/DATABASE[?cluster=NAME]"
// (clickhouses:// with TLS) with user and password in SPARKPROF_CLICKHOUSE_USER and SPARKPROF_CLICKHOUSE_PASSWORD. A
// file that is damaged or of another version is recreated, because all of its contents come from recordings; `rebuilt`
// then contains the reason. If `rebuilt` is null, it is an error instead.
Result<std::unique_ptr<Catalogue>> OpenCatalogue(const std::string& location, std::string* rebuilt);

// Whether --catalogue refers to a file instead of a server.
bool IsCatalogueFile(const std::string& location);

std::string DefaultCatalogue(const std::string& data);

// The canonical path of --data: the catalogue contains file paths.
std::string DataFolder(const std::string& option);

// Creates the data folder, or removes permissions beyond --share from an existing one and its contents. Afterwards,
// this process creates only files with these permissions. Returns a message about changes; empty = none.
Result<std::string> OpenDataFolder(const std::string& data);

}  // namespace sparkprof
