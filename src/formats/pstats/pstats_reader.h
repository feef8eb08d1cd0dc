// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Statistics of Python's cProfile and profile (`python -m cProfile -o FILE`, pstats.Stats.dump_stats), also as PySpark
// dumps them (spark.python.profile: rdd_N.pstats; profilers of UDFs: udf_N_perf.pstats): a marshalled dict
//     {(file, line, function): (primitive calls, calls, own time, total time, callers)}
// with callers {(file, line, function): (calls, primitive calls, own time, total time)}, or only their calls (profile).
// It has no stacks; see caller_graph.h for those that are made of it. The event is "wall", with calls as counts. The
// sampling profiler of Python 3.15 marks its statistics with ('__sampled__',): True and has samples instead of calls;
// pyinstrument has neither and writes -1.
Result<void> ReadPstats(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikePstats(std::string_view head);

}  // namespace sparkprof
