// SPDX-License-Identifier: Apache-2.0
#include "server/server.h"

#include <fmt/format.h>

#include <utility>

#include "server/responses.h"
#include "server/routes/routes.h"

namespace sparkprof {

Result<std::unique_ptr<Server>> Server::Open(ServerOptions options, std::unique_ptr<Catalogue> catalogue,
                                             const Pictures* pictures) {
  std::unique_ptr<Server> server(new Server);
  ServerParts& parts = server->parts_;
  parts.options = std::move(options);
  parts.catalogue = std::move(catalogue);
  parts.pictures = pictures;
  Result<std::unique_ptr<RecordingStore>> store =
      RecordingStore::Open(parts.options.data, [&parts](const std::string& path, const std::string& application) {
        parts.directory.Note(path, application);
        parts.cataloguer->Wake();
      });
  if (!store) return tl::unexpected(store.error());
  parts.store = std::move(*store);
  parts.configurations = std::make_unique<GroupConfigurations>(parts.options.data);
  parts.audit = std::make_unique<AuditLog>(parts.options.data);
  Result<std::unique_ptr<HttpServer>> http = HttpServer::Listen(parts.options.http, server.get());
  if (!http) return tl::unexpected(http.error());
  server->http_ = std::move(*http);
  parts.http = server->http_.get();
  parts.cache = std::make_unique<ApplicationCache>(&parts.directory, parts.options.max_cache_bytes);
  parts.cataloguer = std::make_unique<Cataloguer>(&parts.directory, parts.cache.get(), parts.catalogue.get());
  server->scanner_ = std::thread([&server = *server] { server.ScanFolders(); });
  return server;
}

Server::~Server() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  if (scanner_.joinable()) scanner_.join();
}

// The store is scanned once, after the start: later its own writes tell what changes.
void Server::ScanFolders() {
  std::vector<std::string> folders{parts_.store->Folder()};
  folders.insert(folders.end(), parts_.options.watched.begin(), parts_.options.watched.end());
  while (true) {
    for (const std::string& folder : folders) {
      const Result<void> scanned = parts_.directory.Scan(folder);
      const std::lock_guard lock(parts_.mutex);
      parts_.folder_problems[folder] = scanned ? "" : scanned.error().message;
    }
    if (folders.size() > parts_.options.watched.size()) {
      for (const std::string& path : parts_.directory.IncompleteFiles(parts_.store->Folder())) {
        parts_.store->Repair(path);
        parts_.directory.Update(path);
      }
    }
    parts_.cataloguer->Wake();
    folders = parts_.options.watched;
    std::unique_lock lock(mutex_);
    if (stopped_.wait_for(lock, parts_.options.scan_interval, [this] { return stop_; })) return;
  }
}

HttpAdmission Server::Admit(const HttpRequest& head) {
  HttpAdmission admission;
  const FoundRoute found = FindRoute(head);
  const bool loopback_only = parts_.options.http.address.IsLoopback() && !parts_.options.access.HasTokens();
  const Role role = parts_.options.access.RoleOf(head);
  HttpResponse refusal;
  if (IsForged(head, loopback_only)) {
    refusal = ErrorResponse(403, "the request comes from another site");
  } else if (found.route == nullptr && found.path_exists) {
    refusal = ErrorResponse(405, fmt::format("{} is not possible here", head.method));
  } else if (found.route == nullptr) {
    refusal = ErrorResponse(404, "there is nothing at this address");
  } else if (!Includes(role, found.route->role)) {
    refusal = role == Role::kNone ? ErrorResponse(401, "a token is required: Authorization: Bearer TOKEN")
                                  : ErrorResponse(403, "the token's role does not allow this");
  } else {
    admission.max_body_bytes = found.route->max_body_bytes;
    return admission;
  }
  Finish(head, &refusal);
  admission.refusal = std::move(refusal);
  return admission;
}

HttpResponse Server::Answer(const HttpRequest& request) {
  const FoundRoute found = FindRoute(request);
  HttpResponse response = found.route->answer(&parts_, request, found.captured);
  Finish(request, &response);
  return response;
}

HttpResponse Server::Refuse(unsigned status, const std::string& message) {
  HttpResponse response = ErrorResponse(status, message);
  Finish({}, &response);
  return response;
}

}  // namespace sparkprof
