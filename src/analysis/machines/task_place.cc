// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/task_place.h"

#include <algorithm>

namespace sparkprof {

TaskPlace PlaceOfTasks(const Application& application, const std::vector<uint32_t>& tasks) {
  TaskPlace place;
  for (const uint32_t task : tasks) {
    if (application.tasks.executor[task] >= 0) place.executors.insert(application.tasks.executor[task]);
    const int64_t launch_ns = application.tasks.launch_ns[task];
    if (launch_ns > 0 && (place.begin_ns == 0 || launch_ns < place.begin_ns)) place.begin_ns = launch_ns;
    place.end_ns = std::max(place.end_ns, application.tasks.finish_ns[task]);
  }
  return place;
}

}  // namespace sparkprof
