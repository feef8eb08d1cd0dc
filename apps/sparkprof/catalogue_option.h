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
// anew, because everything in it comes from the recordings; `rebuilt` then has the reason.
Result<std::unique_ptr<Catalogue>> OpenCatalogue(const std::string& location, std::string* rebuilt);

}  // namespace sparkprof
