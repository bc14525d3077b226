#ifndef KINFORMER_SRC_LISTWATCH_WATCH_STATUS_TEXT_H_
#define KINFORMER_SRC_LISTWATCH_WATCH_STATUS_TEXT_H_

// In:     an Error
// Out:    the Status object that the client gets
// Thread: any; pure
// Next:   WatchServer (ERROR events), the endpoints (answers)

#include <string>
#include <string_view>

#include <kinformer/base/error.h>

namespace kinformer::apiserver {

/// The HTTP status for this error: its own, else derived from its code.
int HttpStatusOf(const Error& error);

/// A Status with "status": "Failure". `continue_token` goes into its metadata.
std::string StatusText(const Error& error, std::string_view continue_token = {});

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_LISTWATCH_WATCH_STATUS_TEXT_H_
