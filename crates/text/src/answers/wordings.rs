//! Still more words that are said for each other: a word of a question, and behind it what a document
//! may say instead. Our own list.

pub(super) const WORDINGS: &str = "percent cent|behaviour conduct manners|abandon leave give drop quit|abolish end scrap drop remove|\
    absence away missing leave off sick|accompany join come with|\
    accomplish achieve reach finish|accuse blame charge court|acquire buy bought get purchase|\
    activate turn switch start press enable hold|admit allow let enter|\
    adopt pass accept approve take|advantage better benefit gain|\
    advertise announce poster notice promote|advise recommend suggest warn tell|\
    affected hit concerned damaged|affiliated belong part member|aircraft plane flight|\
    alarm siren bell alert|alcoholic alcohol wine beer spirit|alternate swap switch turn every|\
    amend change alter revise|amenities facilities toilet shower|\
    ancestor grandfather family forefather|anniversary years jubilee birthday|\
    annoy disturb bother complain|apologise sorry regret|appeal object complain protest|\
    appearance look colour|appliance machine device|appoint elect choose name made become|\
    apprentice trainee learn|arrest police caught jail|artist painter painted drew|\
    ascend climb up|assemble build put fit mount|assess check judge review inspect|\
    assist help support|associate member partner|attack hit raid damage|attempt try tried|\
    attract bring draw come|auction sale sell bid|audit check examine review|\
    authority council office|avert avoid prevent stop|award prize give win won|\
    baggage luggage bag|ban not forbid stop|bankrupt insolvent closed debt|beat win won defeat|\
    beneficiary goes get|besides also plus|bicycle bike cycle|birthplace born|\
    blame fault cause due|blaze fire burn|boil cook heat|bookings reservation reserved booked|\
    border edge frontier|borrow lend loan lent hire|boundary edge fence hedge border|\
    breakdown fault broke failed|brew make|bright light|brochure leaflet|brother sibling|\
    budgeted planned set aside|bury buried grave|butcher meat|cafeteria canteen|\
    capable able can|capacity hold room seat up|careful watch beware|cease stop end|\
    certify certificate approve|champion winner won|chat talk speak|cheat fraud|chef cook|\
    chemist pharmacy|childhood born grew up|chop cut|citizen resident|clever good|\
    client customer|climate weather|climb up ascend went|clothing clothes wear coat shoes|\
    coach bus|coast shore sea|coastline shore coast|coin money|collapse fall fell|\
    colleague team staff|collide hit crash|combine mix join|commemorate remember honour|\
    commit do|commuter train travel|compensate compensation pay refund|\
    compensation pay paid refund damages euros|competitor rival|\
    complaint complain report objection|compulsory must required|conceal hide hidden|\
    concern worry about|conduct behaviour|confess admit|confiscate take remove|\
    congratulate thanks|connection link joined|consecutive row|consequence result then|\
    conserve save preserve|construct build built put|consultant adviser|\
    consume use drink eat burn|contaminated poisoned clean dirty pollution residue|\
    contest competition show race|contribute give pay donate add|convert turn became change|\
    convict prison sentence|cooker stove oven hob|corporation company firm|\
    correspondence letter mail|corridor passage hall|cottage house|couch sofa|couple two pair|\
    crew hands sailors men team|crime theft police|crop harvest grow yield|\
    crossing passage cross|crowd people|cuisine food|cupboard cabinet locker|\
    cure heal remedy treat|custom habit tradition|customer client|cyclist bike|\
    damage broken crack scratch torn|daytime day|deaf hearing|deal agreement|\
    debate discuss argue|debt owe loan|deceased dead died|decorate paint|decrease less fall|\
    deduct take off keep kept|defeat beat lose|defend protect|deliver bring bringing arrive|\
    demolish pull down blown knock torn|deny refuse|departure leave sail set off|dependent rely|\
    descend down|desert leave|destination to go|destroy burn ruin lost|detached separate|\
    deteriorate worse|device gadget machine|diameter wide across|diary log|dig dug excavate|\
    digit number|dine dinner eat|dinghy boat|direct run lead|disabled wheelchair|\
    disagree against|disallow forbid not|disappear gone lost vanish|disaster flood fire|\
    discontinued stopped ended|discover found find|discuss talk about|dislike hate|\
    dismissed sacked fired|dispatch send|display show|dispute quarrel argue|dissolve melt|\
    distribute give hand share|dive swim|donor gave give|downpour rain|drain empty|\
    drought dry rain|drown water|dwelling house|eager keen|earnings wage pay income|\
    eaten eat ate food|edible eat|educate school taught|eject remove|elder old|\
    elect vote chosen choose|electrician electric|embark board|embarrassing awkward|\
    emigrate moved went|employ work job hire|employer company work|empty drain nothing|\
    encounter meet met|encourage ask|endanger risk|enemy predator|enquire ask|\
    enquiry ask question|enrol register sign join|ensure make sure|enter go come in|\
    entertainment music show|entire whole|entitled get may|entrant entry|equip fit|\
    erect build built put up|erode wear|escape flee fled|establish found set start|\
    estimate about quote reckon|evacuate leave clear|evict tenant leave|examine check look|\
    exceed more over above|exception except only but unless|excluded not except cover|\
    excursion trip tour|exempt free not except|exhausted tired|exhibit show|exile abroad|\
    expel throw struck out|expenditure spent cost|expert specialist|explode burst|explore visit|\
    export abroad sold|expose show|extend longer more further|extinguish put out|\
    extra more additional|fabric cloth|facility room|faculty school|faint pass|fake false|\
    famous known|fare ticket price|farmer farm|fasten tie fix clip|fatal dead killed|feast meal|\
    feedback comments|female woman women|fence hedge|ferry boat|fertiliser manure compost|\
    festival fair fete day|fetch bring pick|fiance married|finance pay money|firewood wood logs|\
    fisherman fish|fitness health|flag banner|flame fire|flavour taste|flee left run|float swim|\
    folk people|footpath path way|footwear shoes boots|forecast weather expect|foreigner abroad|\
    forename name|forest wood|forge make|fortnight weeks two|founder found set start began|\
    fragile break|frighten scare afraid|fuel petrol diesel oil gas|function use work|\
    fund pay money|furious angry|furnished furniture|galley kitchen cook|gambling bet|\
    gang group|garbage rubbish|garment wear clothes|gasoline petrol|gathering meeting|gear kit|\
    generate make produce|gift present give gave|girlfriend partner|glad happy|gloves hand|\
    goal aim|goods freight cargo|gossip rumour|govern rule|grab take|graduate degree university|\
    grandchild grandson granddaughter|grave buried|greenhouse glass|greeting welcome|\
    grief death|grocery shopping food|guard watch protect|guide show lead|guilty court|\
    habitat live|hail weather|handicapped wheelchair|handover hand pass over|handy useful|\
    harbour port|harm hurt damage|harvest pick crop|hatch egg|hazard danger|headline title|\
    heal cure|heap pile|hearing court|heir son daughter inherit|herb plant|heritage history|\
    hesitate wait|highlight best|highway road|hike walk|hint tip|hive colony|hobby like plays|\
    hoist lift|holder has|homeless house|honest true|honour award|hook hang|host guest|\
    hostile against|household home family|hull boat|humid damp|hunt search|hurricane storm|\
    hurry quick|hygiene clean wash|icy ice|idle still|ignite light start|illegal forbidden law|\
    illuminate light|imitate copy|immediately once now|immigrant came|impact effect|\
    import bring brought|impose set|imprison jail prison|improve better|inaccurate wrong|\
    inaugurate open|incident happened|inclination slope|incorporate found|increase rise up more|\
    indicate show mean|indoor inside|inexpensive cheap|infant baby|infect infection|\
    inferior worse|inflate air pump|influence effect|inhabit live|inherit left son|\
    initially first|initiate start|injection jab|injure hurt fingers broke lost|innovation new|\
    inspect check look|inspire idea|instalment part payment|institute school|instruct teach|\
    instrument guitar piano|insufficient enough|insulate warm|insult rude|intake enter|\
    intend plan want|interact talk|interrupt stop|interview ask|introduce start bring|\
    intruder burglar|invade attack|invent design|invoice bill|involve take part|jail prison|\
    jewel ring|joiner carpenter|journalist newspaper|journey trip travel|judge decide|\
    jury court|justify reason|keeper keeps looks|kid child|kidnap take|kill die death dead|\
    kin family|kit equipment|label mark name|labour work|lack without no|\
    landlady landlord owner|landmark castle|landmass island|lane road|laundry wash|\
    lavatory toilet|lawful legal allowed|lawsuit court sued suit|layer coat|leader chair head|\
    leaflet paper|leak drip|lecture talk|legend story|leisure free|lend borrow loan|lender bank|\
    lengthen longer|liable pay responsible|liberty free|licensed licence|lid cover|\
    lifelong always|likelihood chance|lineup players|liquid water|litter rubbish|\
    livestock animals|load weight carry|lobby hall|locate find where|lodge stay|\
    lodging stay room hostel|lorry truck cart|lubricate oil grease|luggage bags|lunchtime noon|\
    luxury best|magazine newsletter|maid servant|mainland shore|maintain care keep|\
    majority most|male man men|manage run|mandate rule|manure dung|march walk|margin edge|\
    married wed wife husband|marry wed wife husband|marsh bog|mason stone|massive big|mast sail|\
    mate friend|mayor council|meat beef lamb chicken|mechanic repair|medal prize|\
    mend fix repair|menu dish|merchant dealer|merge join|metal iron steel|methane gas|\
    midnight night|migrate move|mild warm|mileage miles|military army|minimal least|\
    miserable bad|missing lost gone|mist fog|misuse wrong|moderate medium|modify change|\
    moisture water wet|monarch king|monthly month|monument statue|mooring buoy|motive reason|\
    motor engine|motorist driver|mouldy mould|mow cut|muddy mud|murder kill|muscle body|\
    myth story|nap sleep|navigate steer|neglect care|nervous afraid|nickname called|\
    noisy noise loud|nominate propose|notify tell write|novice beginner|nuisance bother|\
    numerous many|nursery children|oath swear|obey follow|objective aim|obligation must|\
    obligatory must|observe watch see saw|obsolete old|obstacle block|obstruct block|obtain get|\
    occupation job worked|occupy live use|occur happen|odour smell|offence crime|\
    offspring child young|opponent against|opportunity chance|oppose against|orchestra music|\
    ordeal trouble|organiser run|origin from|ornament decoration|outbreak start broke|\
    outdated old|outdoors outside|outing trip|outlaw ban|output produce|outskirts edge|\
    overcome beat|overlook miss|overnight night|oversee charge|overtake pass|pace speed|\
    packaging box|paddle row|pain hurt|painter paint|pal friend|panic fear|parade march|\
    pardon excuse|participant took part|passenger aboard|pastime hobby|pasture field grazing|\
    patch repair|patient ill|patron support|pause stop|pavement path|peak top highest|\
    pedestrian walk|peel skin|perish die|permanent always|permanently good ever|persist last|\
    pesticide spray|petition sign|petrol fuel diesel|phase part|photographer photographed|\
    physician doctor|pier quay|pill tablet|pillow cushion|pilot guide|pipe tube|pirate ship|\
    pitch field|plain simple|plank board|plead ask|pleased happy|plot land|\
    pollute dirty pollution|pollution dirt river|pony horse|portion part share|possess own have|\
    postal mail|postman post|potable drinking|poultry hens chicken|pour fill|poverty poor|\
    praise good|prayer church|precaution safe|predecessor before|predict expect|\
    prepare make ready|prescribe doctor|presently now|preserve keep|preserved kept survive|\
    president chair|pretend act|prettiest beautiful loveliest|pretty beautiful lovely nice|\
    prevent stop avoid so|prey eat|principal head main|printed print|prior before|prisoner jail|\
    privacy private|proceed go|proceeds money goes raised|procure buy|profession job worked|\
    profitable profit|prohibit forbid not|prolong extend|prominent known|prompt quick|\
    proof certificate|prosecute court|prosper grow|provision food|proximity near|\
    publican pub landlord|publicity press|pull draw|pump water|punctual time|punctuate flat|\
    pupil child school|purpose for|pursue follow|qualify must|quarrel fall argue dispute|\
    quarter third|quay harbour|query question|quest search|queue wait list|quit leave left|\
    racket noise|rage angry|raid attack|railing fence|raincoat jacket|rainfall rain|\
    ranger warden|rank place|rat mouse|ration food|ravine gorge|reaction said|reassure safe|\
    rebuild repair restore|recall remember|recede fall|recipe ingredients|recipient gets|\
    reckless danger|reclaim get back|recollect remember|recover get back|recreation leisure|\
    recruit join|recur again|recycle waste|reef sail|referee judge|refill fill|reflect think|\
    refreshments tea cake drinks|refrigerator fridge|refuge shelter|refuse turn deny|\
    regain back|region area|registration register sign|regulate rule|reimburse back|reject turn|\
    relative family aunt uncle cousin brother|relax rest|relief help|relocate move moved|\
    remainder rest left|remarkable special|remedy cure|reminder remember|remnant rest left|\
    removal take|renew extend|renovate restore repair|rep representative|repay back|\
    reputation known|rescue save|reserve book|reside live|resident live|resign step leave gave|\
    resist stand|resolve settle|resort holiday|respond answer|restore repair|\
    restrict limit only|resume start again|retain keep kept|retire pension stop|\
    retrieve get back|reunion meet|reveal show|revenue income took|revise change|revolt strike|\
    rim edge|riot fight|rip tear torn|ritual custom|rival other|roam walk|robber thief|\
    rodent mouse rat|rot bad|rotten bad|rough about|route way|rower row|ruin destroyed|\
    rumour said|rural country|rust iron|sailor sail|salary pay|sample test|satisfied happy|\
    savings money bank|scarce few short|scatter spread|scenery view|scent smell|scholar study|\
    scratch mark|screw bolt|seal close|seasick sick|seaside coast|secondhand used|secure lock|\
    seize take|seldom rare|seller sold|semester term|sensible wise|sentence prison|\
    sequence order|servant maid|session meeting|severe bad|sew stitch|sewage waste|shade colour|\
    shallow deep|shave cut|shed hut|shelter cover|shield protect|shift turn|shipment delivery|\
    shipwreck sank wreck|shoplift steal|shore coast|shortage short lack|shortcoming fault|\
    shout call|shred cut|shut closed|sibling brother sister|sightseeing visit|signal sign|\
    silent quiet|singer sing|skilled trained|skipper captain|slaughter kill|sleepy tired|\
    slim thin|slip fall|slope hill|smart clever|smash break broke|smoker smoke|snack eat food|\
    soak wet|sober drunk|sole only|solicitor lawyer|sore pain|spacious big|spare extra|\
    spark fire|spectator watch crowd|spell time|spill pour|splendid good|spoil bad ruin|\
    spoken speak|spouse wife husband|squad team|stable horse|stack pile|staircase stairs|\
    stall stand|standstill stop|starve food|statement said|statue stone|steep slope|steer helm|\
    stitch sew|stock have|stolen lost theft taken missing|storage store keep|stove cooker|\
    stranded stuck|stray lost|stream river|strengthen stronger|stroll walk|struggle fight|\
    subject about|submit send hand|subscribe sign|subsidy grant|substance material|suburb town|\
    succeed follow took|successor follow took over|sue court sued|suffer ill|suffice enough|\
    suitcase luggage|sunbathe sun|sundown sunset|sunny sun|superb best|supervise oversee charge|\
    supper dinner meal|supplement extra|surgeon doctor|surgery operation|surname name|\
    surplus over left|surround around|surveillance camera|survivor lived|suspend stop|\
    sustain keep|swap exchange|swear oath|sweep clean|swift fast|swimmer swim swam|symptom sign|\
    tale story|talent gift|tariff price|task job|tasty good|teammate team|tear rip|tedious slow|\
    teenager young|tenancy lease rent|tenant rent|terminate end|territory land|terror fear|\
    theft stolen stole lost|thief stole stolen|threat danger|thrive do well grow|thunder storm|\
    tidy clean|timber wood|timetable times|tiny small|tobacco cigarette|tonne tons|tons weight|\
    torch light|tornado storm|tough hard|tourist visitor|tow pull|toxic poison|tradition custom|\
    traffic cars|tragedy accident|trainer coach|transfer move|transit through|transmit send|\
    transport carry carried cart|trap catch|traveller passenger|treasure gold|treaty agreement|\
    trek walk|tremble shake|trespass enter|trim cut|triumph win|trophy cup|tuition lesson teach|\
    tune music|tutor teacher|twin two|tyre wheel|umbrella rain|unanimous all|uncommon rare|\
    underneath under|undertake do|unemployed job|unexpected surprise|unhappy sad|\
    uniform clothes|unique only|unite join|unlawful forbidden|unpleasant bad|unsafe danger|\
    unsuccessful failed|unusual odd|unveil show|unwell ill sick|upgrade new|upkeep maintain|\
    uprising revolt|upset angry|urban city|urge ask|utensil tool|vacancy free|vacant free empty|\
    vaccinate vaccine jab|valuable worth|vandal damage|vanish gone|variety kind sort|vast big|\
    veggie vegetarian|vehicle car van lorry cart|velocity speed|vendor sell|venue place held|\
    verdict court decide|vermin rats mice|vessel boat ship|veteran old|vicar priest church|\
    victim hurt|victor won|victory won|view see|villager people|violate break|vocation job|\
    vomit sick|voyage sail trip|wage pay|wagon cart|walker walk|ware goods|warehouse store|\
    wealthy rich|weapon gun|weary tired|wedding married wed|weep cry|weird odd|\
    wheelchair disabled|width wide|wildlife animals birds|willing want|windy wind|wipe clean|\
    wire cable|withdraw back took|wither die|withhold keep kept|witness saw|\
    workforce workers employed people|workman worker|workplace work|worship church|\
    wound hurt injury|yield crop|youngster child young|youth young|zoo animals";
