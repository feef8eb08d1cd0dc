// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Adds the tag "dbt:NODE" ("dbt:model.shop.orders") to the jobs of dbt's queries. Spark's Thrift Server, Kyuubi and
// `spark-sql` use the query as job description. Call after jobs and queries are complete.
void AddDbtTags(Application* application);

}  // namespace sparkprof
