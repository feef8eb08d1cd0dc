// SPDX-License-Identifier: Apache-2.0
// A server of the Model Context Protocol answers any message with one line of JSON-RPC, or not at all.
#include <cstdint>
#include <cstdlib>

#include "mcp/mcp_server.h"

namespace {

class NoApplications : public sparkprof::ApplicationSource {
 public:
  sparkprof::Result<sparkprof::ApplicationList> List(const sparkprof::ListQuery& /*query*/) override { return {}; }
  sparkprof::Result<sparkprof::AskedApplication> Load(const std::string& key) override {
    return sparkprof::Fail("no application " + key);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  NoApplications applications;
  const sparkprof::McpMessage message = sparkprof::ParseMcpMessage({reinterpret_cast<const char*>(data), size});
  sparkprof::CancelledRequest(message);
  const std::optional<std::string> response = sparkprof::McpServer(&applications).Answer(message);
  if (response && (!response->starts_with('{') || response->find('\n') != std::string::npos)) std::abort();
  return 0;
}
