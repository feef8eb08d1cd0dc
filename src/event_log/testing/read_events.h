// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string_view>

#include "event_log/event_reader.h"

namespace sparkprof {

// The application after exactly these events, for tests.
inline Application ReadEvents(std::initializer_list<std::string_view> events) {
  Application application;
  EventReader reader(&application);
  for (const std::string_view event : events) reader.Add(event);
  reader.Finish();
  return application;
}

}  // namespace sparkprof
