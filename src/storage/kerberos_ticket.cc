// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "storage/credentials.h"

namespace sparkprof {
namespace {

// C bindings of the GSS-API (RFC 2744, as in MIT's gssapi.h), for a library that is loaded on demand.
struct Buffer {
  size_t length = 0;
  void* value = nullptr;
};
struct ObjectId {
  uint32_t length;
  const void* elements;
};
using Name = void*;
using Context = void*;
using Release = uint32_t(uint32_t* minor, void** object);

constexpr char kLibrary[] = "libgssapi_krb5.so.2";
constexpr uint32_t kErrors = 0xFFFF0000;       // mask for calling and routine errors of a major status
constexpr int kMajorCode = 1, kMinorCode = 2;  // arguments of gss_display_status
constexpr ObjectId kHostBasedService = {10, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04"};
constexpr ObjectId kSpnego = {6, "\x2b\x06\x01\x05\x05\x02"};

std::string_view TextOf(const Buffer& buffer) { return {static_cast<const char*>(buffer.value), buffer.length}; }

class GssLibrary {
 public:
  static Result<GssLibrary> Load() {
    GssLibrary library;
    library.handle_ = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);  // never unloaded: it keeps state
    if (library.handle_ == nullptr) return Fail(fmt::format("{} is missing (Debian: libgssapi-krb5-2)", kLibrary));
    if (!library.Find("gss_import_name", &library.import_name_) ||
        !library.Find("gss_init_sec_context", &library.init_context_) ||
        !library.Find("gss_display_status", &library.display_status_) ||
        !library.Find("gss_release_buffer", &library.release_buffer_) ||
        !library.Find("gss_release_name", &library.release_name_) ||
        !library.Find("gss_delete_sec_context", &library.delete_context_)) {
      return Fail(fmt::format("{} is no GSS-API", kLibrary));
    }
    return library;
  }

  // The first token of the exchange; Kerberos needs no other.
  Result<std::string> FirstToken(const std::string& service) const {
    Buffer text{service.size(), const_cast<char*>(service.data())};
    uint32_t minor = 0;
    Name name = nullptr;
    uint32_t major = import_name_(&minor, &text, &kHostBasedService, &name);
    if ((major & kErrors) != 0) return Fail(Describe(major, minor));
    Context context = nullptr;
    Buffer token;
    major = init_context_(&minor, nullptr, &context, name, &kSpnego, 0, 0, nullptr, nullptr, nullptr, &token, nullptr,
                          nullptr);
    const bool failed = (major & kErrors) != 0;
    Result<std::string> first = std::string(TextOf(token));
    if (failed) first = Fail(Describe(major, minor));
    uint32_t ignored = 0;
    if (token.value != nullptr) release_buffer_(&ignored, &token);
    if (context != nullptr) delete_context_(&ignored, &context, nullptr);
    release_name_(&ignored, &name);
    return first;
  }

 private:
  template <typename Function>
  bool Find(const char* name, Function** function) {
    *function = reinterpret_cast<Function*>(dlsym(handle_, name));
    return *function != nullptr;
  }

  std::string Describe(uint32_t major, uint32_t minor) const {
    std::string all;
    for (const auto& [code, kind] : {std::pair(major, kMajorCode), std::pair(minor, kMinorCode)}) {
      uint32_t ignored = 0, more = 0;
      Buffer text;
      if ((display_status_(&ignored, code, kind, nullptr, &more, &text) & kErrors) != 0 || text.value == nullptr)
        continue;
      all += fmt::format("{}{}", all.empty() ? "" : ": ", TextOf(text));
      release_buffer_(&ignored, &text);
    }
    return all.empty() ? fmt::format("GSS-API error {:#x}", major) : all;
  }

  void* handle_ = nullptr;
  uint32_t (*import_name_)(uint32_t*, Buffer*, const ObjectId*, Name*) = nullptr;
  uint32_t (*init_context_)(uint32_t*, void* credential, Context*, Name, const ObjectId*, uint32_t flags,
                            uint32_t seconds, void* channel, const Buffer* received, ObjectId** mechanism, Buffer* sent,
                            uint32_t* got_flags, uint32_t* got_seconds) = nullptr;
  uint32_t (*display_status_)(uint32_t*, uint32_t code, int kind, const ObjectId*, uint32_t* more, Buffer*) = nullptr;
  uint32_t (*release_buffer_)(uint32_t*, Buffer*) = nullptr;
  Release* release_name_ = nullptr;
  uint32_t (*delete_context_)(uint32_t*, Context*, Buffer*) = nullptr;
};

}  // namespace

Result<std::string> NegotiateHeader(const std::string& host) {
  static const Result<GssLibrary> library = GssLibrary::Load();
  if (!library) return tl::unexpected(library.error());
  const Result<std::string> token = library->FirstToken("HTTP@" + host);
  if (!token) return Fail(fmt::format("no Kerberos ticket for HTTP@{}: {}", host, token.error().message));
  return "Negotiate " + Base64Encode(*token);
}

}  // namespace sparkprof
