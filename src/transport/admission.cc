#include "src/transport/admission.h"

namespace kinformer::internal {

void Admission::OnPassed(RequestId request, bool shares) {
  unplaced_.insert(request);
  if (shares) sharing_ = request;
}

void Admission::OnPlaced(RequestId request) {
  unplaced_.erase(request);
  if (request == sharing_) sharing_ = 0;
}

void Admission::OnTakenBack(RequestId request) {
  OnPlaced(request);
  may_have_room_ = false;
}

void Admission::OnEnded(RequestId request, bool had_connection) {
  OnPlaced(request);
  if (had_connection) may_have_room_ = true;
}

}  // namespace kinformer::internal
