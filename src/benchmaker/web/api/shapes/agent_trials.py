"""Series of agent trials, as printed by `agents show --json`."""

from typing import Literal, TypedDict

from benchmaker.arenas.agentic.series.series_results import AgentTrialRow
from benchmaker.record.agent_trial import AgentSeries, Wire
from benchmaker.web.api.paging import extend_type, page_type

AgentSeriesPage = page_type("AgentSeriesPage", AgentSeries)
NumberedTrial = extend_type("NumberedTrial", AgentTrialRow, number=int)
AgentTrialPage = page_type("AgentTrialPage", NumberedTrial, scale=Literal["0-1"])


class GatewayRequestRow(TypedDict):
    """A request of an agent, of the try `attempt_try`.

    `status` is 0 without a reply. `sends` counts the requests to the endpoint, retries
    included. `refused` is the reason for a refusal by the gateway, empty for others.
    """

    attempt_try: int
    number: int
    started_at: str
    endpoint: str
    model: str
    requested_model: str
    wire: Wire
    status: int
    stream: bool
    sends: int
    input_tokens: int | None
    cache_read_tokens: int | None
    cache_write_5m_tokens: int | None
    cache_write_1h_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    latency_s: float | None
    first_byte_s: float | None
    was_cut: bool
    refused: str
    request_sha256: str
    response_sha256: str


GatewayRequestPage = page_type("GatewayRequestPage", GatewayRequestRow)
