// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "catalogue/catalogue.h"

namespace sparkprof {

// The catalogue that --catalogue names: a file of DuckDB, or
// "clickhouse://HOST:PORT[,HOST:PORT…]/DATABASE[?cluster=NAME]" (clickhouses:// with TLS) with user and password in
// SPARKPROF_CLICKHOUSE_USER and SPARKPROF_CLICKHOUSE_PASSWORD. A file that is damaged or of another version is made
// anew, because everything in it comes from the recordings; `rebuilt` then has the reason. With a null `rebuilt` it is
// an error instead.
Result<std::unique_ptr<Catalogue>> OpenCatalogue(const std::string& location, std::string* rebuilt);

// Whether --catalogue names a file, not a server.
bool IsCatalogueFile(const std::string& location);

// The catalogue of a data folder if --catalogue does not name one.
std::string DefaultCatalogue(const std::string& data);

// The folder that --data names, without a detour: the catalogue has the paths of files.
std::string DataFolder(const std::string& option);

// Creates the data folder or, if it is there, takes from everything in it the permissions that --share does not give.
// From then on this process creates private files only. Returns a message about what was changed; empty = nothing.
Result<std::string> OpenDataFolder(const std::string& data);

}  // namespace sparkprof
