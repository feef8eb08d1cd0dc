// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Adds the tag "dbt:NODE" ("dbt:model.shop.orders") to the jobs of dbt's queries, which Spark's Thrift Server, Kyuubi
// and `spark-sql` have as the description of their jobs. Call after jobs and queries are complete.
void AddDbtTags(Application* application);

}  // namespace sparkprof
